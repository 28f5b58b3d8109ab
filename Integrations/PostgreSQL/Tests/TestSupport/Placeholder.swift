package import LiveStore
