import LiveStore
import LiveStoreSQLite
import SQLiteTestSupport

/// What a step of a random migration does: to a file, and to the model.
enum MigrationOperation: Sendable, CustomStringConvertible {
  case update(String, property: String, divisor: Int, Cell)
  case copy(String, from: String, to: String)
  case insert(String, MigrationModel.Object)
  case delete(String, divisor: Int)
  case deleteEntity(String)
  case renameEntity(String, to: String)
  case renameProperty(String, to: String, of: String)
  case removeProperty(String, of: String)
  /// Inserts a copy of each object that there was before the step, with another id.
  case insertOld(String, into: String, offset: Int)
  /// Reads all that there was before the step.
  case readOld

  static let entities = ["Alpha", "Beta", "Gamma", "Delta"]
  static let properties = ["a0", "a1", "a2", "b0", "b1", "b2", "c0", "c1"]

  var description: String {
    switch self {
    case .update(let entity, let property, let divisor, let cell):
      "update \(entity).\(property) to \(cell) where id % \(divisor) == 0"
    case .copy(let entity, let from, let to): "copy \(entity).\(from) to \(to)"
    case .insert(let entity, let object): "insert into \(entity): \(object)"
    case .delete(let entity, let divisor): "delete from \(entity) where id % \(divisor) == 0"
    case .deleteEntity(let entity): "delete \(entity)"
    case .renameEntity(let entity, let name): "rename \(entity) to \(name)"
    case .renameProperty(let property, let name, let entity): "rename \(entity).\(property) to \(name)"
    case .removeProperty(let property, let entity): "remove \(entity).\(property)"
    case .insertOld(let entity, let target, let offset):
      "insert the old \(entity) into \(target), id + \(offset)"
    case .readOld: "read what was there"
    }
  }

  static func random(_ random: inout SplitMix64) -> MigrationOperation {
    let entity = random.pick(entities)
    let property = random.pick(properties)
    // Another property of the same type.
    let other = random.pick(properties.filter { $0.first == property.first })
    switch random.int(0...20) {
    case 0...4:
      return .update(entity, property: property, divisor: random.int(1...4), .random(property, &random))
    case 5...6: return .copy(entity, from: property, to: other)
    case 7...9:
      var object = MigrationModel.Object(id: random.int(100...400))
      for property in random.some(of: properties, upTo: 4) { object[property] = .random(property, &random) }
      return .insert(entity, object)
    case 10...11: return .delete(entity, divisor: random.int(2...6))
    case 12: return .deleteEntity(entity)
    case 13...14: return .renameEntity(entity, to: random.pick(entities.filter { $0 != entity }))
    case 15...16:
      return .renameProperty(property, to: random.pick(["\(other)", "\(property.prefix(1))9"]), of: entity)
    case 17: return .removeProperty(property, of: entity)
    case 18: return .insertOld(entity, into: random.pick(entities), offset: random.pick([500, 1_000]))
    default: return .readOld
    }
  }
}

extension MigrationOperation {
  /// Does it to a file; false if the file refuses it.
  func apply(
    _ old: borrowing MigrationSource, _ tx: inout MigrationTransaction, oldModel: MigrationModel
  ) throws -> Bool {
    do {
      switch self {
      case .update(let entity, let property, let divisor, let cell):
        try tx.update(entity) { row in
          if try row.value("id", as: Int.self) % divisor == 0 { try cell.set(property, of: &row) }
        }
      case .copy(let entity, let from, let to):
        try tx.update(entity) { row in
          let cell = row.properties.contains(from) ? try Cell(row, from) : .none
          try cell.set(to, of: &row)
        }
      case .insert(let entity, let object): try tx.insert(entity) { try object.set(&$0) }
      case .delete(let entity, let divisor):
        try tx.delete(entity) { try $0.value("id", as: Int.self) % divisor == 0 }
      case .deleteEntity(let entity): try tx.deleteEntity(entity)
      case .renameEntity(let entity, let name): try tx.renameEntity(entity, to: name)
      case .renameProperty(let property, let name, let entity):
        try tx.renameProperty(property, of: entity, to: name)
      case .removeProperty(let property, let entity): try tx.removeProperty(property, of: entity)
      case .insertOld(let entity, let target, let offset):
        try old.forEach(entity) { row in
          var object = try MigrationModel.Object(row)
          object.id += offset
          try tx.insert(target) { [object] in try object.set(&$0) }
        }
      case .readOld: try oldModel.check(old, "what was there before the step")
      }
      return true
    } catch let error as StoreFileError where error.code == .invalidMigration {
      return false
    }
  }
}

extension MigrationModel.Object {
  fileprivate func set(_ row: inout MigrationRow) throws {
    try row.set("id", to: id)
    for (property, cell) in cells.sorted(by: { $0.key < $1.key }) { try cell.set(property, of: &row) }
  }
}

extension MigrationModel {
  /// Whether the file has to take an operation; nil if it may refuse it, as a table or a column without any values may be
  /// there or not.
  func accepts(_ operation: MigrationOperation, old: MigrationModel) -> Bool? {
    switch operation {
    case .update(let entity, _, _, _), .copy(let entity, _, _), .delete(let entity, _),
      .deleteEntity(let entity):
      return has(entity) ? true : nil
    case .insert, .readOld: return true
    case .renameEntity(let entity, let name):
      return has(name) ? false : has(entity) ? true : nil
    case .renameProperty(let property, let name, let entity):
      let properties = properties(entity)
      return property != name && properties.contains(property) && properties.contains(name) ? false : nil
    case .removeProperty(let property, let entity):
      return properties(entity).contains(property) ? true : nil
    case .insertOld(let entity, _, _): return old.has(entity) ? true : nil
    }
  }

  private func has(_ entity: String) -> Bool { !(entities[entity] ?? []).isEmpty }

  /// Does to the model what an operation does that the file has taken.
  mutating func apply(_ operation: MigrationOperation, old: MigrationModel) {
    switch operation {
    case .update(let entity, let property, let divisor, let cell):
      change(entity) { object in if object.id % divisor == 0 { object[property] = cell } }
    case .copy(let entity, let from, let to): change(entity) { $0[to] = $0[from] }
    case .insert(let entity, let object): entities[entity, default: []].append(object)
    case .delete(let entity, let divisor): entities[entity]?.removeAll { $0.id % divisor == 0 }
    case .deleteEntity(let entity): entities[entity] = nil
    case .renameEntity(let entity, let name): entities[name] = entities.removeValue(forKey: entity)
    case .renameProperty(let property, let name, let entity):
      if property == name { return }
      change(entity) { object in
        object[name] = object[property]
        object[property] = .none
      }
    case .removeProperty(let property, let entity): change(entity) { $0[property] = .none }
    case .insertOld(let entity, let target, let offset):
      for object in old.entities[entity] ?? [] {
        entities[target, default: []].append(Object(id: object.id + offset, cells: object.cells))
      }
    case .readOld: break
    }
  }

  /// Changes each object of an entity.
  mutating func change(_ entity: String, _ body: (inout Object) -> Void) {
    guard var objects = entities[entity] else { return }
    for index in objects.indices { body(&objects[index]) }
    entities[entity] = objects
  }

  /// Throws unless a step reads exactly this.
  func check(_ old: borrowing MigrationSource, _ place: String) throws {
    let names = old.entities
    // A table without objects may be there, or not.
    let missing = entities.filter { !$0.value.isEmpty && !names.contains($0.key) }
    try require(missing.isEmpty, "\(place): no \(missing.keys.sorted())")
    for entity in names {
      let expected = entities[entity] ?? []
      let (found, count) = (try Self.objects(old, entity), old.count(entity))
      try require(found == expected, "\(place): \(entity) has \(found), should have \(expected)")
      try require(count == expected.count, "\(place): \(entity) has \(count) objects")
    }
  }

  private static func objects(_ old: borrowing MigrationSource, _ entity: String) throws -> [Object] {
    var objects: [Object] = []
    try old.forEach(entity) { objects.append(try Object($0)) }
    return objects
  }
}

extension MigrationModel.Object {
  init(_ row: MigrationRow) throws {
    self.init(id: try row.value("id"))
    for property in row.properties where property != "id" { self[property] = try Cell(row, property) }
  }
}
