import Foundation
import LiveStore
import TestSupport
import Testing

private struct Mark: Entity, Hashable {
  let id: Int
  static let schema = Schema<Mark> {}
}

private typealias List = RefList<Mark>

extension RefList where Target.ID == Int {
  /// Whether the labels are what they must be.
  fileprivate var isOrdered: Bool { zip(slots, slots.dropFirst()).allSatisfy { $0.label < $1.label } }

  /// As it is stored in place of another.
  fileprivate func settled(after older: RefList) -> RefList { aligned(with: older) ?? self }

  /// The labels of entries that both lists have as the same ones, with their ids.
  fileprivate func kept(from older: RefList) -> [Int] {
    let known = Dictionary(uniqueKeysWithValues: older.slots.map { ($0.label, $0.reference) })
    return slots.filter { known[$0.label] == $0.reference }.map(\.reference.id)
  }
}

@Suite struct `Lists of references` {
  @Test func `lists of references are edited as arrays are`() {
    var random = SplitMix64(seed: 11)
    for round in 0..<60 {
      var list = List()
      var model: [Int] = []
      for step in 0..<80 {
        let id = random.int(0...5)
        switch random.int(0...8) {
        case 0:
          list.append(Ref(id))
          model.append(id)
        case 1:
          list.insert(Ref(id), at: 0)
          model.insert(id, at: 0)
        case 2:
          let place = random.int(0...model.count)
          list.insert(Ref(id), at: place)
          model.insert(id, at: place)
        case 3 where !model.isEmpty:
          let place = random.int(0...model.count - 1)
          list.remove(at: place)
          model.remove(at: place)
        case 4 where !model.isEmpty:
          let (source, target) = (random.int(0...model.count - 1), random.int(0...model.count - 1))
          list.move(from: source, to: target)
          model.insert(model.remove(at: source), at: target)
        case 5:
          list.remove(Ref(id))
          model.removeAll { $0 == id }
        case 6:
          let (one, other) = (random.int(0...model.count), random.int(0...model.count))
          let range = min(one, other)..<max(one, other)
          let ids = (0..<random.int(0...4)).map { _ in random.int(0...5) }
          list.replaceSubrange(range, with: ids.map { Ref($0) })
          model.replaceSubrange(range, with: ids)
        case 7 where !model.isEmpty:
          let place = random.int(0...model.count - 1)
          list[place] = Ref(id)
          model[place] = id
        default:
          if model.count > 1 {
            let (one, other) = (random.int(0...model.count - 1), random.int(0...model.count - 1))
            list.swapAt(one, other)
            model.swapAt(one, other)
          }
        }
        #expect(list.ids == model && list.isOrdered, "round \(round) step \(step)")
        if list.ids != model { return }
      }
    }
  }

  @Test func `an edit of a list keeps its other entries`() {
    let old: List = [1, 2, 1, 3]
    var list = old
    list.removeFirst()
    #expect(list.settled(after: old).slots.map(\.label) == old.slots.dropFirst().map(\.label))
    list = old
    list.insert(9, at: 2)
    #expect(list.settled(after: old).kept(from: old) == [1, 2, 1, 3])
    list = old
    list.move(from: 0, to: 3)
    #expect(list.ids == [2, 1, 3, 1])
    #expect(list.settled(after: old).kept(from: old) == [2, 1, 3])
    list = old
    list[1] = 8
    #expect(list.settled(after: old).kept(from: old) == [1, 1, 3])
    list = old
    list[1] = 3
    #expect(list.settled(after: old).kept(from: old) == [1, 1, 3])
  }

  @Test func `entries inserted again and again in one place keep the others`() {
    for place in 0...3 {
      var list: List = [1, 2, 3]
      for step in 0..<Environment.size(150, thorough: 400) {
        let old = list
        list.insert(Ref(10 + step), at: min(place, list.count))
        list = list.settled(after: old)
        #expect(list.isOrdered && list.ids.count == step + 4)
        // Labels run out now and then, and then some neighbours get new ones: two a step on average.
        if list.kept(from: old).count < old.count - 96 {
          Issue.record("\(old.count - list.kept(from: old).count) entries of \(old.count) became others")
          return
        }
      }
    }
  }

  @Test func `labels that run out cost a few new ones on average`() {
    var list: List = [1, 2]
    var lost = 0
    let steps = Environment.size(300, thorough: 1_000)
    for step in 0..<steps {
      let old = list
      list.insert(Ref(step), at: 1)
      lost += old.count - list.settled(after: old).kept(from: old).count
    }
    #expect(list.isOrdered)
    #expect(lost < steps * 4, "\(lost) entries became others")
  }

  @Test func `prepending to a list keeps all its entries`() {
    var list = List()
    let first = List([0])
    list = first
    for step in 1..<5_000 { list.insert(Ref(step), at: 0) }
    #expect(list.isOrdered && list.kept(from: first) == [0])
    #expect(list.ids == (0..<5_000).reversed())
  }

  @Test func `a decoded list keeps the entries that it has in common with the list before`() throws {
    let decode: ([Int]) throws -> List = { ids in
      try JSONDecoder().decode(List.self, from: JSONEncoder().encode(ids))
    }
    func check(_ before: List, _ ids: [Int], keeps count: Int, _ line: Int = #line) throws {
      let list = try decode(ids).settled(after: before)
      #expect(list.ids == ids && list.isOrdered, "line \(line)")
      #expect(list.kept(from: before).count == count, "line \(line)")
    }
    try check([1, 2, 3], [1, 2, 3], keeps: 3)
    try check([1, 2, 3], [2, 3], keeps: 2)
    try check([1, 2, 3], [0, 1, 2, 3], keeps: 3)
    try check([1, 2, 1], [2, 1], keeps: 2)
    try check([1, 2, 3], [3, 2, 1], keeps: 1)
    try check([1, 2, 3], [], keeps: 0)
    try check([], [1], keeps: 0)
    try check([1, 2, 1, 5], [2, 1, 6], keeps: 2)
    // One that was edited has other labels than one of the same ids made at once.
    var edited: List = [1, 2, 3]
    edited.remove(at: 1)
    try check(edited, [1, 3], keeps: 2)
    try check(edited, [1, 3, 4], keeps: 2)
    edited = [1, 2, 3]
    edited.insert(7, at: 0)
    try check(edited, [7, 1, 2, 3], keeps: 4)
    edited = [1]
    edited.replaceSubrange(0..<1, with: [1, 2, 3])
    try check([1], edited.ids, keeps: 1)
    #expect(edited.settled(after: [1]).ids == [1, 2, 3])
  }

  @Test func `replacing everything by hand is as good as decoding`() {
    let old: List = [1, 2, 3, 4]
    var list = old
    list.replaceSubrange(0..<4, with: [2, 3, 4, 5])
    #expect(list.settled(after: old).kept(from: old) == [2, 3, 4])
    list = old
    list.removeAll()
    list.append(contentsOf: [1, 2, 4])
    #expect(list.settled(after: old).kept(from: old) == [1, 2, 4])
    list = old
    list.sort { $0.id > $1.id }
    #expect(list.settled(after: old).ids == [4, 3, 2, 1] && list.settled(after: old).isOrdered)
  }

  @Test func `aligning large lists takes time in proportion to their length`() {
    let size = Environment.size(4_000, thorough: 20_000)
    let old = List(ids: 0..<size)
    // Nothing in common, everything reversed, one object all over.
    for ids in [Array(size..<2 * size), (0..<size).reversed(), Array(repeating: 3, count: size)] {
      let list = List(ids: ids).settled(after: old)
      #expect(list.ids == ids && list.isOrdered)
    }
    let same = List(ids: Array(repeating: 3, count: size))
    let fewer = List(ids: Array(repeating: 3, count: size - 5)).settled(after: same)
    #expect(fewer.isOrdered && fewer.kept(from: same).count == size - 5)
    // Every tenth is removed, every tenth is new: what is left of the others stays.
    let mixed = (0..<size).map { $0 % 10 == 0 ? size + $0 : $0 }
    let aligned = List(ids: mixed).settled(after: old)
    #expect(aligned.ids == mixed && aligned.kept(from: old).count == size / 10 * 9)
  }

  @Test func `the alignment of two lists is a longest common subsequence`() {
    var random = SplitMix64(seed: 3)
    for round in 0..<400 {
      let before = (0..<random.int(0...9)).map { _ in random.int(0...4) }
      let after = (0..<random.int(0...9)).map { _ in random.int(0...4) }
      let old = List(ids: before)
      let list = List(ids: after).settled(after: old)
      let difference = after.difference(from: before)
      #expect(list.ids == after && list.isOrdered, "round \(round)")
      #expect(
        list.kept(from: old).count == before.count - difference.removals.count,
        "round \(round): \(before) to \(after)")
    }
  }
}
