import Synchronization
import Testing

import LiveStore

/// Small nodes, so that small inputs make deep trees.
let smallCapacities: [(leaf: Int, inner: Int)] = [(2, 3), (3, 3), (3, 4), (4, 5), (6, 6)]

extension Tree {
  var keys: [TreeKey] {
    var result: [TreeKey] = []
    forEachLeaf(in: 0..<count) { keys, _, count in
      for index in 0..<count { result.append(keys[index]) }
      return true
    }
    return result
  }

  /// Payload words of a tree that has one.
  var stamps: [UInt64] {
    var result: [UInt64] = []
    var cursor = TreeCursor(self)
    while let entry = cursor.next() { result.append(entry.payload.load(as: UInt64.self)) }
    return result
  }

  /// How many leaves have each form.
  func leaves(_ form: LeafForm) -> Int {
    func count(_ node: NodeView) -> Int {
      if node.height == 0 { return node.form == form ? 1 : 0 }
      return (0..<node.count).reduce(0) { $0 + count(node.child($1)) }
    }
    return root.map { count(NodeView($0)) } ?? 0
  }

  /// A tree of `keys(order: .first)` with these rows, all with stamp 0.
  static func rows(_ rows: some Sequence<Int>, leaf: Int, inner: Int) -> Tree {
    var builder = TreeBuilder(.keys(order: .first, leafCapacity: leaf, innerCapacity: inner))
    for row in rows { builder.append(TreeKey(UInt64(row), 0)) }
    return builder.finish()
  }
}

/// Heap's algorithm: calls `body` with every order of `elements`.
func forEachPermutation<T>(of elements: [T], _ body: ([T]) -> Void) {
  var elements = elements
  func permute(_ length: Int) {
    guard length > 1 else { return body(elements) }
    for index in 0..<length {
      permute(length - 1)
      elements.swapAt(length % 2 == 0 ? index : 0, length - 1)
    }
  }
  permute(elements.count)
}

/// SplitMix64, so that a printed seed repeats a run.
struct SeededGenerator: RandomNumberGenerator {
  var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}

/// `#expect` for inner loops: costs nothing while it holds, and records the trace when it does not.
func check(
  _ condition: Bool, _ trace: @autoclosure () -> String, sourceLocation: SourceLocation = #_sourceLocation
) {
  if !condition { Issue.record(Comment(rawValue: trace()), sourceLocation: sourceLocation) }
}

/// Counts objects alive, to see that payloads are destroyed exactly once.
final class LiveCount: Sendable {
  private let count = Mutex(0)

  var value: Int { count.withLock { $0 } }

  fileprivate func add(_ change: Int) { count.withLock { $0 += change } }

  final class Probe: Sendable {
    private let owner: LiveCount

    init(_ owner: LiveCount) {
      self.owner = owner
      owner.add(1)
    }

    deinit { owner.add(-1) }
  }
}

/// A payload with a string and an object to count.
struct Tracked: Sendable {
  var name: String
  var probe: LiveCount.Probe?
}

extension Tree {
  /// Keys and names of a tree of `Tracked`.
  var names: [String] {
    var result: [String] = []
    forEachLeaf(in: 0..<count) { keys, payloads, count in
      for index in 0..<count {
        let payload = payloads.load(fromByteOffset: index * MemoryLayout<Tracked>.stride, as: Tracked.self)
        result.append("\(keys[index]) \(payload.name)")
      }
      return true
    }
    return result
  }

  @discardableResult
  mutating func insert(row: Int, _ value: Tracked) -> Bool {
    insert(TreeKey(UInt64(row), 0)) { $0.initializeMemory(as: Tracked.self, to: value) }
  }

  @discardableResult
  mutating func rename(row: Int, _ name: String) -> Bool {
    update(TreeKey(UInt64(row), 0)) { payload, stamp in
      payload.assumingMemoryBound(to: Tracked.self).pointee.name = name
      stamp += 1
    }
  }
}
