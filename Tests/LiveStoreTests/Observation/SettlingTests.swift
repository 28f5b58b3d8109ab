import Testing

import LiveStore

@Suite struct `Waiting for a settled store` {
  /// ```
  /// a pass               a handler's delivery           a call of settled()
  /// marks the delivery
  ///                                                      begins: the delivery has something to deliver
  /// wakes the delivery
  ///                      delivers, and is idle
  ///                                                      returns
  /// ```
  @Test func `a delivery that is marked and not yet woken is waited for`() async throws {
    try await withCheckedThrowingContinuation { continuation in
      var settling = SettledWaiters()
      let subscriber = Wakeable(delivery: (id: 7, onMark: {}))
      var (marks, ends) = (DeferredWork(), DeferredWork())
      marks.mark(subscriber, &settling)
      settling.add(1, Version(1), isRouted: true, continuation, &ends)
      #expect(settling.isWaiting)
      settling.delivered(7, through: nil, &ends)
      #expect(!settling.isWaiting)
      marks.perform()
      ends.perform()
    }
  }
}
