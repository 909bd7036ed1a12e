"""The model of one refund among others: held to the code, and searched by Spin where Spin is."""
