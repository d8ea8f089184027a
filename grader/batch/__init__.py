"""Judges many submissions: finds the files, hands them to workers, and keeps every result in one file.

Theory of operation. A run has one results file (`results`, SQLite), which is all that it remembers:

    collect   paths, folders and globs -> entries, one a submission; no link is followed out of its folder
    key       what a result depends on: the file's bytes, the problem, its cases, the options, the judge
    results   entries, and a report for each key; written as soon as it is known, each in a transaction
    run       gives the keys that have no report yet to workers, and records what comes back
    workers   threads, each with a `grader.supervisor.Judge` of its own; or `cluster`: machines, by Dask
    summary   verdicts, rules, groups of equal programs
    exports   csv, jsonl, html, Gradescope

An interrupted run is run again in the same way: the entries are collected anew, and keys that have a report
are not judged again. Nothing is held in memory that grows with the number of submissions.
"""
