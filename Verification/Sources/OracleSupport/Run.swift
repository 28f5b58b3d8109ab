import LiveStore

/// A history under way.
final class Run {
  let store: Store
  let palette: Palette
  let options: Options
  let timeline = Timeline()
  var watches: [any Watching] = []
  var held: [(snapshot: Snapshot, model: Model)] = []
  private(set) var log: [String] = []

  init(_ palette: Palette, _ options: Options) throws {
    self.palette = palette
    self.options = options
    store = try Store(Team.self, Tag.self, User.self, Post.self, Comment.self)
  }

  func note(_ text: String) {
    log.append(text)
    if options.isVerbose { print(text) }
  }

  func step(_ number: Int, _ random: inout Randomness) async throws {
    if number == 0, options.isLarge || random.percent(80) { return try await write(&random, fills: true) }
    switch random.below(20) {
    case 0..<10: try await write(&random)
    case 10: try await interleave(&random)
    case 11..<13: try read(store.snapshot(), timeline.newest, &random)
    case 13:
      note("hold a snapshot")
      held.append((store.snapshot(), timeline.newest))
      if random.percent(30) { try await writeCopy(&random) }
    case 14:
      guard let (snapshot, model) = random.pickAny(held), let other = random.pickAny(held) else { return }
      try read(snapshot, model, &random)
      switch random.below(4) {
      case 0: try difference((snapshot, model), other, Tag.self, &random)
      case 1: try difference((snapshot, model), other, User.self, &random)
      default: try difference((snapshot, model), other, Post.self, &random)
      }
    case 15, 16, 17: watch(&random)
    case 18:
      guard let watch = random.pickAny(watches) else { return }
      if random.percent(30) {
        watch.end()
        watches.removeAll { $0 === watch }
      } else if random.percent(50) {
        watch.pause()
      } else {
        watch.resume()
      }
    default: try await verify()
    }
  }

  /// Checkers all that was delivered, and reads all that is held once more.
  func finish(_ random: inout Randomness) async throws {
    for watch in watches { watch.resume() }
    try await verify()
    held.append((store.snapshot(), timeline.newest))
    for (snapshot, model) in held { try compare(snapshot, model) }
  }

  func end() {
    for watch in watches { watch.end() }
    watches = []
    store.close()
  }

  func verify() async throws {
    note("verify")
    try await store.settled()
    for watch in watches { try await watch.verify() }
  }

  // MARK: Writing

  func write(_ random: inout Randomness, fills: Bool = false) async throws {
    let origin = random.pick([nil, nil, "ui", "sync"])
    let count = fills ? 0 : random.pick(options.isLarge ? [1, 5, 20, 80] : [1, 1, 2, 3, 5, 8])
    let refusal = !fills && random.percent(8) ? Writer.Refusal(number: random.below(1000)) : nil
    let before = timeline.newest
    var writer = Writer(before, random, palette)
    if options.isLarge { writer.reads = 3 }
    var error: (any Error)?
    let style = random.below(3)
    note("write(origin: \(origin ?? "nil"))\(["", " blocking", " optimistic"][style]) {")
    let next = store.version.number + 1
    do {
      switch style {
      case 0:
        try await store.write(origin: origin) { tx in
          if tx.version.number != next {
            throw Finding(description: "tx.version is \(tx.version), not \(next)")
          }
          if fills { try writer.fill(tx) }
          try writer.run(tx, count: count)
          if let refusal { throw refusal }
        }
      case 1 where !fills: try block(origin, &writer, count, refusal)
      default:
        let fresh = writer
        try await store.transaction(origin: origin) { tx in
          writer = fresh
          if fills { try writer.fill(tx) }
          try writer.run(tx, count: count)
          if let refusal { throw refusal }
        }
      }
    } catch let caught {
      error = caught
    }
    for line in writer.log { note("  " + line) }
    note("}" + (error.map { " threw \($0)" } ?? ""))
    try conclude(writer, before, origin, refusal, error)
  }

  func block(_ origin: String?, _ writer: inout Writer, _ count: Int, _ refusal: Writer.Refusal?)
    throws
  {
    try store.write(origin: origin) { tx in
      try writer.run(tx, count: count)
      if let refusal { throw refusal }
    }
  }

  /// Whether the transaction ended as it should, and the store is what it should be.
  func conclude(
    _ writer: Writer, _ before: Model, _ origin: String?, _ refusal: Writer.Refusal?, _ error: (any Error)?
  ) throws {
    if let finding = error as? Finding { throw finding }
    let violations = refusal == nil ? writer.model.violations(deleted: writer.deleted) : []
    if let error = error as? StoreError {
      if !violations.contains(error.code.description) {
        throw Finding(description: "the commit was refused (\(error)), expected was \(violations.sorted())")
      }
    } else if error as? Writer.Refusal != refusal || (error != nil && refusal == nil) {
      throw Finding(description: "the write threw \(error as Any), expected was \(refusal as Any)")
    } else if !violations.isEmpty {
      throw Finding(description: "the commit should have been refused: \(violations.sorted())")
    }
    if error == nil { advance(to: writer.model, origin: origin) }
    try compareNewest()
  }

  /// Takes a new state, as a version of its own if it differs.
  func advance(to model: Model, origin: String?) {
    if model.isSame(as: timeline.newest) {
      timeline.newest = model
    } else {
      timeline.append(model, origin: origin)
    }
  }

  func compareNewest() throws {
    if store.version.number != timeline.version {
      throw Finding(description: "the version is \(store.version), but should be \(timeline.version)")
    }
    if timeline.newest.size < 200 { try compare(store.snapshot(), timeline.newest) }
  }
}

extension Model {
  var size: Int { teams.count + tags.count + users.count + posts.count + comments.count }
}
