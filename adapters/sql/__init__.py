"""PostgreSQL through SQLAlchemy Core: tables, transactions, migrations. The only place that knows SQLAlchemy."""
