import LiveStore
import TestSupport
import Testing

/// The queue by itself: what is a task here takes its steps when the test says so.
@Suite(.timeLimit(.minutes(10))) struct `The write lock` {
  /// Asks for the write lock as a task does, from another thread than the test's.
  private func ask(_ gate: WriteLock, _ ticket: UInt64? = nil) throws -> UInt64? {
    try Worker {
      switch gate.claim(ticket) {
      case .wait(let place): return place
      case .claimed, .nested: return nil
      }
    }.join()
  }

  /// A task that was woken and does not start, and that threads have passed.
  private func gate(yieldTime: Duration, passes: Int) throws -> (gate: WriteLock, ticket: UInt64) {
    let gate = WriteLock(yieldTime: yieldTime)
    try write(gate) {}
    #expect(gate.claimBlocking())
    let ticket = try #require(try ask(gate))
    gate.release()
    for _ in 0..<passes { try write(gate) {} }
    return (gate, ticket)
  }

  /// What a blocking writer does.
  private func write(_ gate: WriteLock, _ body: () throws -> Void) throws {
    try require(gate.claimBlocking(), "nested")
    defer { gate.release() }
    try body()
  }

  /// ```
  /// a task                         threads
  /// asks, is woken
  ///                                16 pass it, one after another
  ///                                one more waits
  /// claims, writes
  ///                                writes
  /// ```
  @Test func `a thread waits for a task that 16 writers have overtaken`() async throws {
    try await withWatchdog("a thread that gives way to a task") {
      for _ in 0..<100 {
        let (gate, ticket) = try gate(yieldTime: .seconds(3_600), passes: 16)
        let order = Recorder<String>()
        let starting = Signal()
        let leaving = Signal()
        let thread = Worker {
          starting.send()
          try require(gate.claimBlocking(), "nested")
          order.append("thread")
          leaving.wait()
          gate.release()
        }
        await starting.arrival()
        #expect(try ask(gate, ticket) == nil, "the turn is free, and the task's")
        order.append("task")
        gate.release()
        leaving.send()
        try await thread.value()
        #expect(order.events == ["task", "thread"])
      }
    }
  }

  @Test func `a thread that waits for a task that gives up continues at once`() async throws {
    try await withWatchdog("a thread that gave way to a task that was cancelled") {
      let (gate, ticket) = try gate(yieldTime: .seconds(3_600), passes: 16)
      let thread = Worker { try write(gate) {} }
      let task = Task { try await gate.wait(ticket) }
      task.cancel()
      _ = await task.result
      // The place may have been looked at, not waited at, before the cancellation.
      if try ask(gate, ticket) == nil { gate.release() }
      try await thread.value()
    }
  }

  /// Bug: every later task waited for ever.
  ///
  /// Cause: a task that was woken on the thread that held the lock, in a body that runs other code, was refused and
  /// kept its queue position.
  @Test func `a task that is refused as nested gives up its position`() throws {
    let (gate, ticket) = try gate(yieldTime: .milliseconds(1), passes: 0)
    let claims = try Worker {
      try require(gate.claimBlocking(), "nested")
      defer { gate.release() }
      return gate.claim(ticket)
    }.join()
    guard case .nested = claims else { throw Mismatch("\(claims)") }
    #expect(try ask(gate) == nil, "the lock is free, and nothing is before the next task")
    gate.release()
  }

  /// A thread yields to a task that never runs after 16, 32, 64, … 16,384 writes: each yield doubles the limit.
  @Test func `threads continue beside a task that cannot run`() throws {
    let (gate, ticket) = try gate(yieldTime: .milliseconds(1), passes: 0)
    for _ in 0..<20_000 { try write(gate) {} }
    #expect(gate.overtakingLimit == 32_768)
    #expect(try ask(gate, ticket) == nil, "it has kept its place")
    gate.release()
    try write(gate) {}
  }

  @Test func `the yield time starts again with each task`() async throws {
    try await withWatchdog("a thread that gives way to a second task") {
      let (gate, first) = try gate(yieldTime: .milliseconds(1), passes: 100)
      #expect(gate.claimBlocking())
      let second = try #require(try ask(gate))
      gate.release()
      #expect(try ask(gate, first) == nil)
      gate.release()
      #expect(try ask(gate, second) == nil)
      gate.release()
      try write(gate) {}
    }
  }

  /// With a queue that is searched and moved step by step this takes minutes.
  @Test(.timeLimit(.minutes(10))) func `many waiting tasks cost no more each than a few`()
    throws
  {
    let gate = WriteLock()
    #expect(gate.claimBlocking())
    let count = Environment.size(20_000, thorough: 100_000)
    let tickets = try Worker {
      try (0..<count).map { _ in
        guard case .wait(let ticket) = gate.claim(nil) else { throw Mismatch("the lock is held") }
        return ticket
      }
    }.join()
    gate.release()
    var random = SplitMix64(seed: 1)
    var claims = 0
    for ticket in tickets {
      // Those behind look again, in vain, as when they were woken to see.
      let other = tickets[random.int(0...count - 1)]
      if other > ticket, case .claimed = gate.claim(other) { Issue.record("it overtook \(other - ticket)") }
      if case .claimed = gate.claim(ticket) { claims += 1 }
      gate.release()
    }
    #expect(claims == count)
  }
}
