import Testing

/// An expectation that may throw; the macro's hides that from the closure it stands in.
func expectTrue(_ isTrue: Bool, sourceLocation: SourceLocation = #_sourceLocation) {
  #expect(isTrue, sourceLocation: sourceLocation)
}
