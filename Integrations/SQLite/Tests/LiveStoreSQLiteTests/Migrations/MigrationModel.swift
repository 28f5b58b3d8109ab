import Foundation
import LiveStore
import LiveStoreSQLite
import SQLiteTestSupport

/// A value of a property: its type follows from the first letter of the property's name.
enum Cell: Hashable, Sendable {
  case none
  case int(Int)
  case text(String)
  case list([Int])

  /// A random value for a property.
  static func random(_ property: String, _ random: inout SplitMix64) -> Cell {
    if random.chance(1, in: 4) { return .none }
    return switch property.first {
    case "a": .int(random.pick([.min, -1, 0, 1, random.int(0...1_000_000), .max]))
    case "b": .text(random.pick(["", "b\(random.int(0...99))", "\0", "é\u{1F600}'\"", "7"]))
    default: .list(random.some(of: [0, -5, 12], upTo: 3))
    }
  }

  init(_ row: MigrationRow, _ property: String) throws {
    self =
      switch property.first {
      case "a": try row.value(property, as: Int?.self).map { .int($0) } ?? .none
      case "b": try row.value(property, as: String?.self).map { .text($0) } ?? .none
      default: try row.value(property, as: [Int]?.self).map { .list($0) } ?? .none
      }
  }

  func set(_ property: String, of row: inout MigrationRow) throws {
    switch self {
    case .none: try row.set(property, to: Int?.none)
    case .int(let value): try row.set(property, to: value)
    case .text(let value): try row.set(property, to: value)
    case .list(let value): try row.set(property, to: value)
    }
  }
}

/// What a file should hold: for each entity its objects in insertion order, each a dictionary of its properties' values,
/// without those that are nil.
struct MigrationModel: Equatable, Sendable {
  struct Object: Hashable, Sendable {
    var id: Int
    var cells: [String: Cell] = [:]

    subscript(property: String) -> Cell {
      get { cells[property] ?? .none }
      set { cells[property] = newValue == .none ? nil : newValue }
    }
  }

  /// The objects of the entities that the file has.
  var entities: [String: [Object]] = [:]

  /// The properties that some object of an entity has.
  func properties(_ entity: String) -> [String] {
    Set((entities[entity] ?? []).flatMap(\.cells.keys)).sorted()
  }

  /// Whether a store opens with it: ids, and the unique property of one entity.
  func isValid(_ named: Set<String>) -> Bool {
    named.allSatisfy { entity in
      let objects = entities[entity] ?? []
      let unique = objects.map { $0["a0"] }.filter { $0 != .none }
      return Set(objects.map(\.id)).count == objects.count
        && (entity != "Beta" || Set(unique).count == unique.count)
    }
  }
}

/// An entity of the random files. All have the same properties.
protocol Celled: Entity, Codable where ID == Int {
  init(id: Int)
  var a0: Int? { get set }
  var a1: Int? { get set }
  var b0: String? { get set }
  var b1: String? { get set }
  var c0: [Int]? { get set }
}

extension Celled {
  static var properties: [String] { ["a0", "a1", "b0", "b1", "c0"] }

  init(_ object: MigrationModel.Object) {
    self.init(id: object.id)
    if case .int(let value) = object["a0"] { a0 = value }
    if case .int(let value) = object["a1"] { a1 = value }
    if case .text(let value) = object["b0"] { b0 = value }
    if case .text(let value) = object["b1"] { b1 = value }
    if case .list(let value) = object["c0"] { c0 = value }
  }

  var object: MigrationModel.Object {
    var object = MigrationModel.Object(id: id)
    object["a0"] = a0.map { .int($0) } ?? .none
    object["a1"] = a1.map { .int($0) } ?? .none
    object["b0"] = b0.map { .text($0) } ?? .none
    object["b1"] = b1.map { .text($0) } ?? .none
    object["c0"] = c0.map { .list($0) } ?? .none
    return object
  }
}

struct Alpha: Celled {
  let id: Int
  var a0: Int?
  var a1: Int?
  var b0: String?
  var b1: String?
  var c0: [Int]?
  static let schema = Schema<Alpha> {
    Property(\.a0, .indexed)
    \.a1
    \.b0
    \.b1
    \.c0
  }
  init(id: Int) { self.id = id }
}

struct Beta: Celled {
  let id: Int
  var a0: Int?
  var a1: Int?
  var b0: String?
  var b1: String?
  var c0: [Int]?
  static let schema = Schema<Beta> {
    Property(\.a0, .unique)
    \.a1
    \.b0
    \.b1
    \.c0
  }
  init(id: Int) { self.id = id }
}

struct Gamma: Celled {
  let id: Int
  var a0: Int?
  var a1: Int?
  var b0: String?
  var b1: String?
  var c0: [Int]?
  static let schema = Schema<Gamma> {
    \.a0
    \.a1
    Property(\.b0, .indexed)
    \.b1
    \.c0
  }
  init(id: Int) { self.id = id }
}
