import LiveStore

/// One transaction on the store and on the model, operation by operation.
///
/// It is given the transaction with each call, as a transaction cannot be kept.
struct Writer {
  var model: Model
  var random: Randomness
  let palette: Palette
  /// What this transaction deleted.
  private(set) var deleted: Set<Deleted> = []
  private(set) var log: [String] = []
  var reads = 30
  /// An error of a body's own.
  struct Refusal: Error, Equatable { var number: Int }

  init(_ model: Model, _ random: Randomness, _ palette: Palette) {
    self.model = model
    self.random = random
    self.palette = palette
  }

  mutating func note(_ text: String) { log.append(text) }

  /// A number of operations, with reads between them.
  mutating func run(_ tx: borrowing WriteTransaction, count: Int, depth: Int = 0) throws {
    for _ in 0..<count {
      if depth < 2, random.percent(8) {
        try savepoint(tx, depth: depth)
      } else {
        switch random.below(16) {
        case 0, 1: try step(tx, Team.self)
        case 2, 3, 4: try step(tx, Tag.self)
        case 5, 6, 7: try step(tx, User.self)
        case 8..<13: try step(tx, Post.self)
        default: try step(tx, Comment.self)
        }
      }
      if random.percent(reads) { try read(tx) }
    }
  }

  /// Fills the tables with objects whose links lead somewhere.
  mutating func fill(_ tx: borrowing WriteTransaction) throws {
    let palette = palette.withoutDangling
    try fill(tx, Team.self, palette, palette.ids / 2)
    try fill(tx, Tag.self, palette, palette.ids)
    try fill(tx, User.self, palette, palette.ids)
    try fill(tx, Post.self, palette, palette.ids * 2)
    try fill(tx, Comment.self, palette, palette.ids * 2)
  }

  private mutating func fill<Element: ModelEntity>(
    _ tx: borrowing WriteTransaction, _: Element.Type, _ palette: Palette, _ bound: Int
  ) throws {
    let count = palette.isLarge ? bound : 1 + random.below(min(bound, 10))
    for _ in 0..<count {
      let id = Element.randomID(&random, palette)
      guard model[keyPath: Element.table][id] == nil else { continue }
      let object = Element.random(id, &random, palette, model)
      try verify("insert(\(object))", expected: nil) { try tx.insert(object) }
      model.put(object)
    }
  }

  private mutating func savepoint(_ tx: borrowing WriteTransaction, depth: Int) throws {
    let before = (model, deleted)
    let refusal = random.percent(50) ? Refusal(number: random.below(100)) : nil
    let count = random.below(4)
    note("savepoint {")
    var inner = self
    var caught: Refusal?
    do {
      try tx.savepoint { part in
        try inner.run(part, count: count, depth: depth + 1)
        if let refusal { throw refusal }
      }
    } catch let error as Refusal {
      caught = error
    }
    self = inner
    if caught != refusal {
      throw Finding(description: "a savepoint threw \(caught as Any) instead of \(refusal as Any)")
    }
    note(refusal == nil ? "}" : "} threw")
    if refusal != nil { (model, deleted) = before }
  }

  /// Reads something and compares it with the model.
  private mutating func read(_ tx: borrowing WriteTransaction) throws {
    switch random.below(6) {
    case 0: try compare(tx, Team.self)
    case 1: try compare(tx, Tag.self)
    case 2: try compare(tx, User.self)
    case 3, 4: try compare(tx, Post.self)
    default: try compare(tx, Comment.self)
    }
  }

  private mutating func compare<Element: ModelEntity>(_ tx: borrowing WriteTransaction, _: Element.Type)
    throws
  {
    let asked = Element.menu.something(&random, palette, model)
    if let complaint = asked.complaint(in: tx, model) { throw Finding(description: complaint) }
    let id = Element.randomID(&random, palette)
    let (object, expected) = (tx[Element.self, id], model[keyPath: Element.table][id])
    if object?.values != expected?.values || object?.ignored != expected?.ignored {
      throw Finding(
        description:
          "in the transaction, \(Element.name) \(id) is \(object as Any), but should be \(expected as Any)")
    }
  }

  /// An operation that must do the same as in the model, or be refused with the code expected.
  private mutating func verify(_ text: String, expected: String?, _ body: () throws -> Void) throws {
    note(text + (expected.map { " // \($0)" } ?? ""))
    do {
      try body()
      if let expected { throw Finding(description: "\(text) should have been refused: \(expected)") }
    } catch let error as StoreError {
      if error.code.description != expected {
        throw Finding(description: "\(text) was refused (\(error)), expected was \(expected ?? "no error")")
      }
    } catch let error as Refusal {
      if "\(error)" != expected {
        throw Finding(description: "\(text) threw \(error), expected was \(expected ?? "nothing")")
      }
    }
  }

  private mutating func step<Element: ModelEntity>(_ tx: borrowing WriteTransaction, _: Element.Type) throws {
    let table = model[keyPath: Element.table]
    let name = Element.name
    let known = random.percent(70) ? table.any(&random)?.id : nil
    let id = known ?? Element.randomID(&random, palette)
    switch random.below(40) {
    case 0..<8:
      let object = Element.random(Element.randomID(&random, palette), &random, palette, model)
      let isThere = table[object.id] != nil
      try verify("insert(\(object))", expected: isThere ? "duplicateID" : nil) { try tx.insert(object) }
      if !isThere { model.put(object) }
    case 8..<13:
      let object = Element.random(id, &random, palette, model)
      try verify("upsert(\(object))", expected: nil) { try tx.upsert(object) }
      model.put(object)
    case 13..<25: try update(tx, Element.self, id)
    case 25..<28:
      let isThere = table[id] != nil
      var result = false
      try verify("delete(\(name).self, \(id))", expected: nil) { result = try tx.delete(Element.self, id) }
      if result != isThere { throw Finding(description: "delete(\(name), \(id)) returned \(result)") }
      delete(Element.self, [id.canon])
    case 28, 29: try deleteAndInsert(tx, Element.self, id)
    case 30..<33: try updateQuery(tx, Element.self)
    case 33, 34:
      let question = Element.menu.question(&random, palette, model)
      guard !question.isList else { return }
      let ids = question.rows(model).map(\.element.id.canon)
      var count = 0
      try verify("delete(\(question.text))", expected: nil) { count = try tx.delete(question.query) }
      if count != ids.count {
        throw Finding(description: "delete(\(question.text)) deleted \(count) of \(ids.count)")
      }
      delete(Element.self, ids)
    case 35, 36: try insertSeveral(tx, Element.self)
    case 37, 38:
      let objects = (0..<random.below(4)).map { _ in
        Element.random(Element.randomID(&random, palette), &random, palette, model)
      }
      try verify("upsert(contentsOf: \(objects))", expected: nil) { try tx.upsert(contentsOf: objects) }
      for object in objects { model.put(object) }
    default:
      guard random.percent(15) else { return }
      if random.percent(50) {
        try verify("deleteAll()", expected: nil) { try tx.deleteAll() }
        deleteEverything()
      } else {
        var count = 0
        try verify("deleteAll(\(name).self)", expected: nil) { count = try tx.deleteAll(Element.self) }
        if count != table.count {
          throw Finding(description: "deleteAll(\(name)) deleted \(count) of \(table.count)")
        }
        delete(Element.self, table.rows.map(\.id.canon))
      }
    }
  }

  private mutating func insertSeveral<Element: ModelEntity>(
    _ tx: borrowing WriteTransaction, _: Element.Type
  ) throws {
    let objects = (0..<random.below(4)).map { _ in
      Element.random(Element.randomID(&random, palette), &random, palette, model)
    }
    let ids = objects.map(\.id.canon)
    let isRefused = Set(ids).count < ids.count || ids.contains { model[keyPath: Element.table][$0] != nil }
    try verify("insert(contentsOf: \(objects))", expected: isRefused ? "duplicateID" : nil) {
      try tx.insert(contentsOf: objects)
    }
    if !isRefused { for object in objects { model.put(object) } }
  }

  private mutating func deleteAndInsert<Element: ModelEntity>(
    _ tx: borrowing WriteTransaction, _: Element.Type, _ id: Element.ID
  ) throws {
    // The last row comes back to its place, so that nothing has changed.
    let table = model[keyPath: Element.table]
    guard let old = random.percent(40) ? table.rows.last : table[id] else { return }
    var new = old
    if random.percent(50) { Element.randomEdit(&random, palette, model).apply(&new) }
    let object = new
    try verify("delete(\(Element.name).self, \(old.id)); upsert(\(object))", expected: nil) {
      try tx.delete(Element.self, old.id)
      try tx.upsert(object)
    }
    delete(Element.self, [old.id.canon])
    model.put(object)
  }

  private mutating func update<Element: ModelEntity>(
    _ tx: borrowing WriteTransaction, _: Element.Type, _ id: Element.ID
  ) throws {
    let edits = (0...random.below(3)).map { _ in Element.randomEdit(&random, palette, model) }
    let text = "update(\(Element.name).self, \(id)) { \(edits.map(\.text).joined(separator: "; "))"
    guard var row = model[keyPath: Element.table][id] else {
      return try verify(text + " }", expected: "notFound") {
        try tx.update(Element.self, id) { object in for edit in edits { edit.apply(&object) } }
      }
    }
    switch random.below(12) {
    case 0:
      let other = Element.randomID(&random, palette)
      let isRefused = other.canon != row.id.canon
      try verify(text + "; $0.id = \(other) }", expected: isRefused ? "identifierChanged" : nil) {
        try tx.update(Element.self, id) { object in
          for edit in edits { edit.apply(&object) }
          object.id = other
        }
      }
      if isRefused { return }
    case 1:
      let refusal = Refusal(number: random.below(100))
      return try verify(text + "; throw }", expected: "\(refusal)") {
        try tx.update(Element.self, id) { object in
          for edit in edits { edit.apply(&object) }
          throw refusal
        }
      }
    default:
      try verify(text + " }", expected: nil) {
        try tx.update(Element.self, id) { object in for edit in edits { edit.apply(&object) } }
      }
    }
    for edit in edits { edit.apply(&row) }
    model.put(row, edits: edits)
  }

  private mutating func updateQuery<Element: ModelEntity>(
    _ tx: borrowing WriteTransaction, _: Element.Type
  ) throws {
    let question = Element.menu.question(&random, palette, model)
    guard !question.isList else { return }
    let rows = question.rows(model).map(\.element)
    let edit = Element.randomEdit(&random, palette, model)
    let refusal = random.percent(10) && !rows.isEmpty ? (Refusal(number: 7), random.below(rows.count)) : nil
    var (count, calls) = (0, 0)
    try verify(
      "update(\(question.text)) { \(edit.text)\(refusal == nil ? "" : "; throw") }",
      expected: refusal.map { "\($0.0)" }
    ) {
      count = try tx.update(question.query) { object in
        edit.apply(&object)
        if let refusal, calls == refusal.1 { throw refusal.0 }
        calls += 1
      }
    }
    if refusal != nil { return }
    if count != rows.count {
      throw Finding(description: "update(\(question.text)) edited \(count) of \(rows.count)")
    }
    for var row in rows {
      edit.apply(&row)
      model.put(row, edits: [edit])
    }
  }

  private mutating func delete<Element: ModelEntity>(_: Element.Type, _ ids: [Canon]) {
    let before = model
    for id in ids { _ = model.delete(Element.self, id) }
    noteDeleted(before, Team.self)
    noteDeleted(before, Tag.self)
    noteDeleted(before, User.self)
    noteDeleted(before, Post.self)
    noteDeleted(before, Comment.self)
  }

  private mutating func deleteEverything() {
    let before = model
    model = Model()
    (model.lists, model.nextToken) = (before.lists, before.nextToken)
    noteDeleted(before, Team.self)
    noteDeleted(before, Tag.self)
    noteDeleted(before, User.self)
    noteDeleted(before, Post.self)
    noteDeleted(before, Comment.self)
  }

  private mutating func noteDeleted<Element: ModelEntity>(_ before: Model, _: Element.Type) {
    guard before[keyPath: Element.table].count != model[keyPath: Element.table].count else { return }
    for row in before[keyPath: Element.table].rows where model[keyPath: Element.table][row.id] == nil {
      deleted.insert(Deleted(id: row.id.canon, target: Element.target))
    }
  }
}
