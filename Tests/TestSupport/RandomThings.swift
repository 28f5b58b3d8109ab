package import Foundation

/// The values that random things and random filters are made of: few enough to meet one another, and every
/// kind that has gone wrong somewhere.
package enum Pool {
  package static let ids = Array(0..<24)
  package static let ranks = [-2, -1, 0, 1, 2, 3, 4, 5, Int.min, Int.max]
  package static let levels = [0, 1, 2, 3, 4, 5, 6, -1, Int.max]
  package static let texts =
    [
      "", "a", "A", "ab", "abc", "b", "Zoe", "zoë", "zoe\u{308}", "é", "e\u{301}", "e", "ec\u{327}le\u{301}",
      "\u{e9}cole",
      "prefixed-1", "prefixed-2", "prefixed-10", "prefixed-", "prefixed", "日本語", "日本", "ß", "SS", "Å",
      "A\u{30a}",
      "\u{212b}", "\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}", "\u{1f468}", "~",
    ] + mixedForms
  package static let scores: [Double?] = [
    nil, nil, .nan, -.nan, -0.0, 0.0, 1, 1.5, -1, 2, -.infinity, .infinity, .leastNonzeroMagnitude, 1e300,
  ]
  package static let numbers: [Double] = scores.compactMap { $0 }
  package static let dates = [-1.0, 0, 0.5, 1, 1e9].map { Date(timeIntervalSinceReferenceDate: $0) }
  package static let zips: [Int?] = [nil, 1, 2, 3]
  package static let moods: [Mood] = [.calm, .keen(1), .keen(2)]
  package static let codes: [String] = texts + (0..<20).map { "code-\($0)" }
}

extension SplitMix64 {
  package mutating func place() -> Place? {
    if chance(1, in: 3) { return nil }
    return Place(
      city: pick(Pool.texts), zip: pick(Pool.zips),
      spot: chance(1, in: 2) ? nil : Place.Spot(height: pick([-1.0, 0, 1, 2])))
  }

  /// A thing with all properties at random; `codes` are those that are free.
  package mutating func thing(_ id: Int, codes: [String]) -> Thing<WithIndexes> {
    var thing = Thing<WithIndexes>(id)
    thing.rank = pick(Pool.ranks)
    thing.name = pick(Pool.texts)
    thing.score = pick(Pool.scores)
    thing.isDone = chance(1, in: 2)
    thing.color = pick(Color.allCases)
    thing.mood = pick(Pool.moods)
    thing.place = place()
    thing.level = pick(Pool.levels)
    thing.tag = pick(Pool.texts)
    thing.code = chance(2, in: 3) || codes.isEmpty ? nil : pick(codes)
    thing.date = pick(Pool.dates)
    return thing
  }

  /// An edit of one to three properties.
  package mutating func patch(codes: [String]) -> Patch {
    let source = thing(0, codes: codes)
    let names = ["rank", "name", "score", "isDone", "color", "mood", "place", "level", "tag", "code", "date"]
    return Patch(values: source, names: Set((0..<int(1...3)).map { _ in pick(names) }).sorted())
  }
}

/// New values for some properties, for any of the two entities.
package struct Patch: Sendable, CustomStringConvertible {
  package var values: Thing<WithIndexes>
  package var names: [String]

  package init(values: Thing<WithIndexes>, names: [String]) {
    self.values = values
    self.names = names
  }

  package func apply<Mode: Indexing>(to thing: inout Thing<Mode>) {
    for name in names {
      switch name {
      case "rank": thing.rank = values.rank
      case "name": thing.name = values.name
      case "score": thing.score = values.score
      case "isDone": thing.isDone = values.isDone
      case "color": thing.color = values.color
      case "mood": thing.mood = values.mood
      case "place": thing.place = values.place
      case "level": thing.level = values.level
      case "tag": thing.tag = values.tag
      case "code": thing.code = values.code
      default: thing.date = values.date
      }
    }
  }

  package var description: String {
    let given = Dictionary(
      values.assignments.map { (String($0.prefix { $0 != " " }), $0) },
      uniquingKeysWith: { first, _ in first })
    return names.map { given[$0].map { "$0.\($0)" } ?? "$0.\($0) = default" }.joined(separator: "; ")
  }
}
