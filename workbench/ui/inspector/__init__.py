"""The inspector: what went over the wire, request by request, and what goes out next."""
