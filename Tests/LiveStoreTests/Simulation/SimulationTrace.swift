import LiveStore
import TestSupport

/// What happens in a simulation, as values: it can be printed, shortened and run again.
struct SimulationTrace: Sendable {
  enum Act: Sendable {
    /// An observer comes; all about it follows from the seed.
    case arrive(UInt64)
    case leave(UInt64)
    /// An observer pauses, resumes or asks.
    case act(UInt64)
    /// A write on this thread.
    case write(SimulatedTransaction)
    /// A write in a task, which waits for the executor.
    case start(SimulatedTransaction)
    /// An optimistic transaction in a task, which suspends between its edits.
    case begin(SimulatedTransaction)
    /// One of the tasks under way is cancelled.
    case cancel(UInt64)
    /// A snapshot is taken, to be looked at in the end.
    case hold
    /// Some of the waiting jobs are run.
    case run(Int, UInt64)
    /// All jobs are run, and everything is looked at.
    case settle(UInt64)
    case close
  }

  let seed: UInt64
  let plan: SchemaPlan
  /// Whether it is of the lists of two articles, which are edited again and again.
  let isOfLists: Bool
  var acts: [Act] = []

  /// A story of a seed, of some writes and a few observers.
  init(seed: UInt64) {
    self.seed = seed
    var random = SplitMix64(seed: seed &* 0x9E37_79B9 &+ 0x51_0A7E)
    plan = SchemaPlan(&random)
    // Mostly small tables, now and then some of several leaves.
    let isLarge = random.chance(1, in: 32)
    isOfLists = !isLarge && random.chance(1, in: 6)
    let isOfLists = isOfLists
    let ids = isLarge ? 1...150 : 1...12
    // Later edits are made for what the earlier ones leave, so that most of them come to something.
    var model = ModelStore.social(plan.modelRules)
    func transaction(_ count: Int, _ random: inout SplitMix64, _ model: inout ModelStore)
      -> SimulatedTransaction
    {
      var transaction = SimulatedTransaction(origin: random.pick([nil, nil, "a", "b"]), edits: [])
      var inner = model
      for _ in 0..<count {
        func next() -> SimulatedEdit {
          guard isOfLists, random.chance(3, in: 4) else { return random.simulatedEdit(inner, ids) }
          guard random.chance(1, in: 6), let topic = inner.topics.randomElement(using: &random) else {
            return random.listEdit(inner, article: random.int(1...2))
          }
          return .replace(random.simulated(Topic.self, topic.id, inner))
        }
        var edit = next()
        // One that would be refused alone mostly spoils the whole.
        for _ in 0..<3
        where !SimulatedTransaction(edits: [edit]).isCommitted(inner) && !random.chance(1, in: 6) {
          edit = random.simulatedEdit(inner, ids)
        }
        transaction.edits.append(edit)
        try? edit.perform(&inner)
      }
      if case .committed(let committed, _) = transaction.outcome(model) { model = committed }
      return transaction
    }
    if isLarge {
      var first = SimulatedTransaction(edits: [])
      for id in ids.shuffled(using: &random) {
        let kind: any Simulated.Type = id % 8 == 0 ? Writer.self : id % 5 == 0 ? Topic.self : Article.self
        let object = random.simulated(kind, id, model)
        if let topic = object as? Topic, model.topics.contains(where: { $0.name == topic.name }) { continue }
        let edit = SimulatedEdit.upsert(object)
        try? edit.perform(&model)
        first.edits.append(edit)
      }
      acts.append(.write(first))
    }
    if isOfLists {
      let topics = (1...5).map { SimulatedEdit.upsert(Topic(id: $0, name: LinkedScript.topicNames[$0])) }
      let articles = (1...2).map { SimulatedEdit.upsert(Article(id: $0, title: "", topics: [1, 2, 3, 2])) }
      let first = SimulatedTransaction(edits: topics + articles)
      if case .committed(let committed, _) = first.outcome(model) { model = committed }
      acts.append(.write(first))
    }
    for _ in 0..<3 { acts.append(.write(transaction(random.int(2...6), &random, &model))) }
    var arrivals: [UInt64] = []
    func arrive(_ random: inout SplitMix64, _ acts: inout [Act]) {
      arrivals.append(random.next())
      acts.append(.arrive(arrivals[arrivals.count - 1]))
    }
    for _ in 0..<random.int(2...4) { arrive(&random, &acts) }
    for _ in 0..<random.int(8...20) {
      switch random.int(0...23) {
      case 0...6: acts.append(.write(transaction(random.pick([1, 1, 1, 2, 4]), &random, &model)))
      case 7...8: acts.append(.start(transaction(random.pick([1, 1, 2]), &random, &model)))
      case 9...10: acts.append(.begin(transaction(random.pick([1, 2, 3]), &random, &model)))
      case 11: acts.append(random.chance(1, in: 3) ? .cancel(random.next()) : .hold)
      case 12...14: acts.append(.act(random.pick(arrivals)))
      case 15: arrive(&random, &acts)
      case 16: acts.append(.leave(random.pick(arrivals)))
      case 17...20: acts.append(.run(random.int(1...6), random.next()))
      default: acts.append(.settle(random.next()))
      }
    }
    if random.chance(1, in: 8) { acts.append(.close) }
  }

  /// A story without what is not needed for it to fail.
  func shortened(_ fails: (SimulationTrace) -> Bool) -> SimulationTrace {
    var shortest = self
    var isShorter = true
    while isShorter {
      isShorter = false
      for index in shortest.acts.indices.reversed() {
        var shorter = shortest
        shorter.acts.remove(at: index)
        if fails(shorter) { (shortest, isShorter) = (shorter, true) }
      }
      for index in shortest.acts.indices {
        for edit in (0..<(shortest.acts[index].transaction?.edits.count ?? 0)).reversed() {
          var shorter = shortest
          shorter.acts[index].transaction?.edits.remove(at: edit)
          if fails(shorter) { (shortest, isShorter) = (shorter, true) }
        }
      }
    }
    return shortest
  }
}

extension SimulationTrace.Act {
  var transaction: SimulatedTransaction? {
    get {
      switch self {
      case .write(let transaction), .start(let transaction), .begin(let transaction): transaction
      default: nil
      }
    }
    set {
      guard let newValue else { return }
      switch self {
      case .write: self = .write(newValue)
      case .start: self = .start(newValue)
      case .begin: self = .begin(newValue)
      default: break
      }
    }
  }
}

extension SimulationTrace: CustomStringConvertible {
  var description: String {
    "seed \(seed), \(plan):\n  " + acts.map { "\($0)" }.joined(separator: "\n  ")
  }
}
