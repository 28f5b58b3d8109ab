import LiveStore
import TestSupport
import Testing

@Suite struct `Codes of errors` {
  @Test func `a code is a pattern, and a member of its type where that is known`() throws {
    let store = try Store(Item.self)
    func missing() throws { try store.write { tx in try tx.update(Item.self, 1) { $0.rank = 1 } } }
    var caught: [String] = []
    do {
      try missing()
    } catch let error as StoreError where error.code == .closed {
      caught.append("closed")
    } catch let error as StoreError where error.code == .notFound {
      caught.append(error.id ?? "")
    }
    do { try missing() } catch StoreError.notFound { caught.append("notFound") }
    let code: StoreError.Code = .notFound
    #expect(caught == ["1", "notFound"] && code == StoreError.notFound)
  }

  @Test func `each code is the same as a member of the error and of the code`() {
    let pairs: [(StoreError.Code, StoreError.Code)] = [
      (StoreError.unknownEntity, .unknownEntity), (StoreError.invalidSchema, .invalidSchema),
      (StoreError.duplicateID, .duplicateID), (StoreError.notFound, .notFound),
      (StoreError.identifierChanged, .identifierChanged), (StoreError.uniqueViolation, .uniqueViolation),
      (StoreError.missingLinkTarget, .missingLinkTarget), (StoreError.requiredLinkEmpty, .requiredLinkEmpty),
      (StoreError.deleteRestricted, .deleteRestricted), (StoreError.readOnly, .readOnly),
      (StoreError.nestedWrite, .nestedWrite), (StoreError.conflict, .conflict),
      (StoreError.historyTruncated, .historyTruncated), (StoreError.invalidFilter, .invalidFilter),
      (StoreError.filterTooExpensive, .filterTooExpensive), (StoreError.cancelled, .cancelled),
      (StoreError.invalidJSON, .invalidJSON),
      (StoreError.invalidCursor, .invalidCursor), (StoreError.differentStores, .differentStores),
      (StoreError.closed, .closed),
    ]
    for (pattern, member) in pairs { #expect(pattern == member) }
    #expect(Set(pairs.map(\.0)).count == pairs.count)
  }
}
