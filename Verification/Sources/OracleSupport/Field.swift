import Foundation
import LiveStore

/// A value of a row that queries can name, as the store and the model have it.
struct Field<Element: ModelEntity>: Sendable {
  var name: String
  /// Whether the value is behind a link, so that it counts as one of the rows that name it.
  var isLinked: Bool
  /// Whether the model looks at a whole table for each row.
  var isCostly: Bool { name.contains("linking(") }
  var value: @Sendable (Element, Model) -> Canon
  /// What a query names with it, where that is not the value: a number that a condition compares.
  var names: Named<Element>?
  var track: @Sendable (Query<Element>) -> Query<Element>
  var condition: (@Sendable (inout Randomness, Palette, Model) -> Condition<Element>)?
  var sort: (@Sendable (Query<Element>, SortDirection) -> Query<Element>)?
  var distinct: (@Sendable (Query<Element>) -> Query<Element>)?
  /// Sections, groups and aggregates by this value.
  var asked: [@Sendable (Question<Element>) -> any Asked] = []
  /// What `properties:` takes, and what it compares.
  var path: (any PartialKeyPath<Row<Element>> & Sendable)?
  var watched: [Named<Element>] = []
}

typealias FieldPath<Element: Entity, Value> = any KeyPath<Row<Element>, Expr<Value>> & Sendable

/// What makes a field stays generic at run time: made over for each type of values, with all the observers that follow from
/// it, it takes minutes to compile.
extension Field {
  private init<Value>(
    _ name: String, _ path: FieldPath<Element, Value>, isLinked: Bool, _ value: @escaping Named<Element>
  ) {
    self.name = name
    self.isLinked = isLinked
    self.value = value
    self.path = path
    if !isLinked { watched = [value] }
    track = { $0.tracking(path) }
  }

  private static func compare(
    _ text: String, _ make: @escaping @Sendable (Row<Element>) -> Expr<Bool>, _ field: Field,
    _ test: @escaping @Sendable (Canon) -> Bool
  ) -> Condition<Element> {
    Condition(
      text: text, make: make, test: { test(field.value($0, $1)) }, named: field.isLinked ? [field.value] : [])
  }

  /// The field for observers of properties: a path through a link means the link and the value behind it.
  func through(_ link: @escaping Named<Element>) -> Field {
    var field = self
    field.watched = [link, value]
    return field
  }

  /// The field, but not for observers of properties.
  var unwatched: Field {
    var field = self
    field.watched = []
    return field
  }

  /// A value with an order.
  @_semantics("optimize.sil.specialize.generic.never")
  static func ordered<Value: Comparable & Hashable & Sendable & Canonical>(
    _ name: String, _ path: FieldPath<Element, Value>, isLinked: Bool = false,
    probes: @escaping @Sendable (Palette) -> [Value], _ value: @escaping Named<Element>
  ) -> Field {
    var field = Field(name, path, isLinked: isLinked, value)
    field.sort = { $0.sorted(by: path, $1) }
    field.distinct = { $0.distinct(by: path) }
    let plain = field
    field.condition = { random, palette, _ in
      let probes = probes(palette)
      let (one, other) = (random.pick(probes), random.pick(probes))
      let (low, high) = one <= other ? (one, other) : (other, one)
      let values = (0..<random.below(4)).map { _ in random.pick(probes) }
      let isRange = low <= high
      switch random.below(isRange ? 12 : 7) {
      case 0:
        return compare("\(name) == \(one.canon)", { $0[keyPath: path] == one }, plain) {
          Canon.isEqual($0, one.canon)
        }
      case 1:
        return compare("\(name) != \(one.canon)", { $0[keyPath: path] != one }, plain) {
          !Canon.isEqual($0, one.canon)
        }
      case 2:
        return compare("\(name) < \(one.canon)", { $0[keyPath: path] < one }, plain) {
          Canon.isBelow($0, one.canon)
        }
      case 3:
        return compare("\(name) <= \(one.canon)", { $0[keyPath: path] <= one }, plain) {
          Canon.isAtMost($0, one.canon)
        }
      case 4:
        return compare("\(name) > \(one.canon)", { $0[keyPath: path] > one }, plain) {
          Canon.isBelow(one.canon, $0)
        }
      case 5:
        return compare("\(name) >= \(one.canon)", { $0[keyPath: path] >= one }, plain) {
          Canon.isAtMost(one.canon, $0)
        }
      case 6:
        let canons = values.map(\.canon)
        return compare("\(name).in(\(canons))", { $0[keyPath: path].in(values) }, plain) { value in
          canons.contains { Canon.isEqual($0, value) }
        }
      case 7:
        return compare(
          "\(name).in(\(low.canon)..<\(high.canon))", { $0[keyPath: path].in(low..<high) }, plain
        ) {
          Canon.isAtMost(low.canon, $0) && Canon.isBelow($0, high.canon)
        }
      case 8:
        return compare(
          "\(name).in(\(low.canon)...\(high.canon))", { $0[keyPath: path].in(low...high) }, plain
        ) {
          Canon.isAtMost(low.canon, $0) && Canon.isAtMost($0, high.canon)
        }
      case 9:
        return compare("\(name).in(\(low.canon)...)", { $0[keyPath: path].in(low...) }, plain) {
          Canon.isAtMost(low.canon, $0)
        }
      case 10:
        return compare("\(name).in(...\(low.canon))", { $0[keyPath: path].in(...low) }, plain) {
          Canon.isAtMost($0, low.canon)
        }
      default:
        return compare("\(name).in(..<\(low.canon))", { $0[keyPath: path].in(..<low) }, plain) {
          Canon.isBelow($0, low.canon)
        }
      }
    }
    field.asked = [
      { SectionsAsked.make($0, $0.query.sectioned(by: path), plain) },
      { GroupsAsked.count($0, $0.query.grouped(by: path), plain) },
      { ValueAsked.extreme($0, $0.query.min(path), plain, isMaximum: false, isOptional: false) },
      { ValueAsked.extreme($0, $0.query.max(path), plain, isMaximum: true, isOptional: false) },
    ]
    return field
  }

  /// An optional value with an order.
  @_semantics("optimize.sil.specialize.generic.never")
  static func optional<Value: Comparable & Hashable & Sendable & Canonical>(
    _ name: String, _ path: FieldPath<Element, Value?>, isLinked: Bool = false,
    probes: @escaping @Sendable (Palette) -> [Value], _ value: @escaping Named<Element>
  ) -> Field {
    var field = Field(name, path, isLinked: isLinked, value)
    field.sort = { $0.sorted(by: path, $1) }
    field.distinct = { $0.distinct(by: path) }
    let plain = field
    field.condition = { random, palette, _ in
      let probes = probes(palette)
      let (one, other) = (random.pick(probes), random.pick(probes))
      let (low, high) = one <= other ? (one, other) : (other, one)
      let values = (0..<random.below(4)).map { _ in random.percent(20) ? nil : Optional(random.pick(probes)) }
      let isRange = low <= high
      switch random.below(isRange ? 13 : 10) {
      case 0:
        return compare("\(name) == \(one.canon)", { $0[keyPath: path] == one }, plain) {
          Canon.isEqual($0, one.canon)
        }
      case 1:
        return compare("\(name) != \(one.canon)", { $0[keyPath: path] != one }, plain) {
          !Canon.isEqual($0, one.canon)
        }
      case 2: return compare("\(name) == nil", { $0[keyPath: path] == nil }, plain) { $0 == .null }
      case 3: return compare("\(name) != nil", { $0[keyPath: path] != nil }, plain) { $0 != .null }
      case 4:
        return compare("\(name) < \(one.canon)", { $0[keyPath: path] < one }, plain) {
          Canon.isBelow($0, one.canon)
        }
      case 5:
        return compare("\(name) <= \(one.canon)", { $0[keyPath: path] <= one }, plain) {
          Canon.isAtMost($0, one.canon)
        }
      case 6:
        return compare("\(name) > \(one.canon)", { $0[keyPath: path] > one }, plain) {
          Canon.isBelow(one.canon, $0)
        }
      case 7:
        return compare("\(name) >= \(one.canon)", { $0[keyPath: path] >= one }, plain) {
          Canon.isAtMost(one.canon, $0)
        }
      case 8, 9:
        let canons = values.map(\.canon)
        return compare("\(name).in(\(canons))", { $0[keyPath: path].in(values) }, plain) { value in
          canons.contains { Canon.isEqual($0, value) }
        }
      case 10:
        return compare(
          "\(name).in(\(low.canon)..<\(high.canon))", { $0[keyPath: path].in(low..<high) }, plain
        ) {
          Canon.isAtMost(low.canon, $0) && Canon.isBelow($0, high.canon)
        }
      case 11:
        return compare(
          "\(name).in(\(low.canon)...\(high.canon))", { $0[keyPath: path].in(low...high) }, plain
        ) {
          Canon.isAtMost(low.canon, $0) && Canon.isAtMost($0, high.canon)
        }
      default:
        return compare("\(name).in(\(low.canon)...)", { $0[keyPath: path].in(low...) }, plain) {
          Canon.isAtMost(low.canon, $0)
        }
      }
    }
    field.asked = [
      { SectionsAsked.make($0, $0.query.sectioned(by: path), plain) },
      { GroupsAsked.count($0, $0.query.grouped(by: path), plain) },
      { ValueAsked.extreme($0, $0.query.min(path), plain, isMaximum: false, isOptional: true) },
      { ValueAsked.extreme($0, $0.query.max(path), plain, isMaximum: true, isOptional: true) },
    ]
    return field
  }

  /// A value that is only equal or not.
  @_semantics("optimize.sil.specialize.generic.never")
  static func plain<Value: Equatable & Sendable & Canonical>(
    _ name: String, _ path: FieldPath<Element, Value>, isLinked: Bool = false,
    probes: @escaping @Sendable (inout Randomness, Palette, Model) -> Value, _ value: @escaping Named<Element>
  ) -> Field {
    var field = Field(name, path, isLinked: isLinked, value)
    let plain = field
    field.condition = { random, palette, model in
      let one = probes(&random, palette, model)
      if random.percent(50) {
        return compare("\(name) == \(one.canon)", { $0[keyPath: path] == one }, plain) {
          Canon.isEqual($0, one.canon)
        }
      }
      return compare("\(name) != \(one.canon)", { $0[keyPath: path] != one }, plain) {
        !Canon.isEqual($0, one.canon)
      }
    }
    return field
  }

  /// A condition of its own. What it comes to counts as the row's where links are behind it, or what it
  /// names there: a number that it compares.
  static func condition(
    _ name: String, isLinked: Bool, _ make: @escaping @Sendable (Row<Element>) -> Expr<Bool>,
    named: Named<Element>? = nil, _ test: @escaping @Sendable (Element, Model) -> Bool
  ) -> Field {
    var field = Field(
      name: name, isLinked: isLinked, value: { .bool(test($0, $1)) }, track: { $0.tracking(make) })
    field.names = named
    let value = field.value
    field.condition = { _, _, _ in
      Condition(text: name, make: make, test: test, named: isLinked ? [named ?? value] : [])
    }
    return field
  }
}
