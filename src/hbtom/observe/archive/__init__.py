"""Archives: all pairs of a dataset in one compact table, a Parquet file with one row per trial.

``columns`` describes the columns, ``encoding`` turns trials into rows, ``decoding`` turns rows into
the very same trials, ``reading`` finds and reads the episodes of a file, and ``bounds`` limits how
much memory reading takes.
"""
