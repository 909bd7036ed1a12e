# Nothing is decided here: deploy/bootstrap.py does the same without make.
# Options: make run ARGS="--port 8080", make test ARGS="tests/embedded -q".
PYTHON ?= python3
.PHONY: install run test check record lock
install run test check record lock:
	@$(PYTHON) deploy/bootstrap.py $@ $(ARGS)
