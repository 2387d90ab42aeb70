"""A local web server on which to browse a dataset: its tasks, pairs and episodes, and outcomes.

Nothing is imported here: ``serving`` needs the extra ``viewer``, and processes that judge do not.
"""
