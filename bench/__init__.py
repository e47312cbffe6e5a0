"""What the service costs, measured beside its peers: `make bench`."""
