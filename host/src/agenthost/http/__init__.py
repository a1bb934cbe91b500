"""Streamable HTTP: many clients at one address, in both protocol eras, behind the same doors.

Only `address` is imported while the command line is read; everything else brings the web server along.
"""
