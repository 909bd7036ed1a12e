"""RQ and Redis: a doorbell whose jobs carry one id and nothing else."""
