/// A relation's value whose entries keep an identity through edits.
protocol EntryKeeping: RelationValue {
  /// The value with the identities of an older one's entries wherever they are the same; nil when it has them
  /// already.
  func aligned(with older: Self) -> Self?
}

extension Optional: EntryKeeping where Wrapped: EntryKeeping {
  func aligned(with older: Wrapped?) -> Wrapped?? {
    guard let self, let older else { return nil }
    return self.aligned(with: older).map(Optional.some)
  }
}
