import Foundation
import LiveStore
import TestSupport
import Testing

@Suite struct `Made up JSON` {
  @Test func `made up JSON is read or refused in place, and what is read is written and read again`() async {
    await Fuzzing.run("JSON texts", inputs: 1_500) { random in
      var maker = JSONMaker(random: random.fork())
      let answer = try JSONLaw.check(maker.text())
      if case .success(let value) = answer, case .success(let other) = JSONLaw.read(maker.value(depth: 3)) {
        try JSONLaw.checkOrder(value, other)
      }
    }
  }

  @Test func `compact texts of made up JSON are equal as their values are`() async {
    await Fuzzing.run("compact texts", inputs: 1_000) { random in
      var maker = JSONMaker(random: random.fork())
      let bytes = random.chance(1, in: 3) ? maker.value(depth: 1) : maker.object(depth: 1, keys: 0...6)
      guard case .success(let value) = JSONLaw.read(bytes) else { return }
      try CompactLaw.checkEquality(value, CompactLaw.relative(of: value, &random))
    }
  }

  @Test func `made up JSON is read as Foundation reads it, but for what is meant to differ`() async {
    await Fuzzing.run("JSON texts and Foundation", inputs: 1_000) { random in
      var maker = JSONMaker(random: random.fork())
      let bytes = maker.text()
      try FoundationLaw.check(bytes, JSONLaw.read(bytes))
    }
  }

  @Test func `made up JSON is the same after a coder has encoded and decoded it`() async {
    await Fuzzing.run("JSON values and coders", inputs: 250) { random in
      var maker = JSONMaker(random: random.fork())
      guard case .success(let value) = JSONLaw.read(maker.value(depth: 1)) else { return }
      let data = try JSONEncoder().encode(value)
      try FoundationLaw.check(Array(data), .success(try JSONValue(parsing: data)))
      let back = try JSONDecoder().decode(JSONValue.self, from: data)
      try require(FoundationLaw.isAlike(value, back), "\(value) comes back as \(back)")
    }
  }
}
