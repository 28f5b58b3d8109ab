import LiveStore

extension Run {
  func read(_ snapshot: Snapshot, _ model: Model, _ random: inout Randomness) throws {
    note("read at version \(snapshot.version)")
    for _ in 0..<4 {
      let asked = something(&random, model)
      note("  \(asked.text)")
      if let complaint = asked.complaint(snapshot, model) {
        throw Finding(description: "at version \(snapshot.version), \(complaint)")
      }
    }
    try backlinks(snapshot, model, &random)
  }

  /// The change set between the same query's results at any two versions.
  func difference<Element: ModelEntity>(
    _ one: (snapshot: Snapshot, model: Model), _ other: (snapshot: Snapshot, model: Model), _: Element.Type,
    _ random: inout Randomness
  ) throws {
    let question = Element.menu.question(&random, palette, one.model)
    note("difference of \(question.text) from version \(one.snapshot.version) to \(other.snapshot.version)")
    let changes = one.snapshot.fetch(question.query).changes(to: other.snapshot.fetch(question.query))
    let complaint = Laws.complaint(
      changes, question.answer(one.model), question.answer(other.model), isList: question.isList,
      names: Element.names, mayBeEmpty: true, Question<Element>.plainEntry)
    if let complaint {
      throw Finding(
        description:
          "\(question.text), from version \(one.snapshot.version) to \(other.snapshot.version): \(complaint)")
    }
  }

  func something(_ random: inout Randomness, _ model: Model) -> any Asked {
    switch random.below(10) {
    case 0: Team.menu.something(&random, palette, model)
    case 1, 2: Tag.menu.something(&random, palette, model)
    case 3, 4: User.menu.something(&random, palette, model)
    case 5: Comment.menu.something(&random, palette, model)
    default: Post.menu.something(&random, palette, model)
    }
  }

  func backlinks(_ snapshot: Snapshot, _ model: Model, _ random: inout Randomness) throws {
    guard let tag = model.tags.any(&random), let user = model.users.any(&random) else { return }
    let pairs: [(String, [Canon], [Canon])] = [
      (
        "tags", snapshot.backlinks(to: tag, from: \Post.tags).map(\.id.canon),
        model.posts.rows.filter { $0.tags.contains(Ref(tag.id)) }.map(\.id.canon)
      ),
      (
        "roles", snapshot.backlinks(to: user, from: \Post.roles).map(\.id.canon),
        model.posts.rows.filter { $0.roles.values.contains(Ref(user.id)) }.map(\.id.canon)
      ),
      (
        "boss", snapshot.backlinks(to: user, from: \User.boss).map(\.id.canon),
        model.users.rows.filter { $0.boss?.id == user.id }.map(\.id.canon)
      ),
      (
        "items", snapshot.backlinks(to: tag, from: \Post.items, each: \.tag).map(\.id.canon),
        model.posts.rows.filter { $0.items.contains { $0.tag?.id == tag.id } }.map(\.id.canon)
      ),
    ]
    for (name, actual, expected) in pairs where actual != expected {
      throw Finding(description: "backlinks by \(name) are \(actual), but should be \(expected)")
    }
  }

  /// All tables, ignored properties included.
  func compare(_ snapshot: Snapshot, _ model: Model) throws {
    try compare(snapshot, model, Team.self)
    try compare(snapshot, model, Tag.self)
    try compare(snapshot, model, User.self)
    try compare(snapshot, model, Post.self)
    try compare(snapshot, model, Comment.self)
  }

  func compare<Element: ModelEntity>(_ snapshot: Snapshot, _ model: Model, _: Element.Type) throws {
    let question = Question<Element>.all
    if let complaint = question.asked.complaint(snapshot, model) {
      throw Finding(description: "at version \(snapshot.version), \(complaint)")
    }
    for row in model[keyPath: Element.table].rows {
      let actual = snapshot[Element.self, row.id]
      if actual?.values != row.values || actual?.ignored != row.ignored {
        throw Finding(
          description:
            "at version \(snapshot.version), \(Element.name) \(row.id) is \(actual as Any), but should be \(row)"
        )
      }
    }
  }
}
