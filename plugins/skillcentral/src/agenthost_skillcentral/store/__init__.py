"""What skillcentral keeps: the SQL, and nothing of the rules. Functions take an open transaction first."""
