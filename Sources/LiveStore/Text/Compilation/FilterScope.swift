/// The start of a text's paths: the row, or inside subqueries also the object or value of each variable.
protocol FilterScope: Sendable {
  /// The variable; nil for the row itself.
  var variable: String? { get }
  /// The scope around it.
  var outer: (any FilterScope)? { get }
  /// The row or object itself; nil if it is none.
  var ownObject: FilterObject? { get }
  /// The target of a path from the row or variable.
  func ownTarget(of path: FilterPath, spreads: Bool) throws(FilterStepError) -> FilterTarget
}

/// A row itself in a text, `SELF`: its id, or where it is compared with links, a link to it.
struct FilterObject: Sendable {
  let entity: String
  /// A link to it, for comparisons with links of either type.
  let link: FilterField
  let optionalLink: FilterField
  /// How many levels around the tested row it is.
  var levels = 0
}

extension FilterObject {
  /// The link to it that is compared with a value of a type.
  func link(comparedWith target: FilterTarget) -> FilterTarget {
    guard case .field(let field) = target, let typed = field.typed, let own = link.typed,
      type(of: typed) == type(of: own)
    else { return .field(optionalLink.lifted(by: levels)) }
    return .field(link.lifted(by: levels))
  }
}

extension FilterCompiler {
  var ownObject: FilterObject? {
    guard Element.self != JSONElement.self else { return nil }
    let row = Row<Element>()
    return FilterObject(
      entity: "\(Element.self)", link: FilterField(row.link),
      optionalLink: FilterField(row.optionalLink))
  }

  /// The scope in which a path begins, and how many levels around this one it is; nil if there is none.
  func scope(of path: FilterPath) -> (scope: any FilterScope, levels: Int)? {
    var (scope, levels): (any FilterScope, Int) = (self, 0)
    while scope.variable != path.variable {
      guard let outer = scope.outer else { return nil }
      (scope, levels) = (outer, levels + 1)
    }
    return (scope, levels)
  }

  /// The row or object that a path without steps stands for.
  func object(of path: FilterPath) -> FilterObject? {
    guard path.steps.isEmpty, let (scope, levels) = scope(of: path), var object = scope.ownObject else {
      return nil
    }
    object.levels = levels
    return object
  }
}

extension FilterCompiler.Side {
  var isObject: Bool { object != nil }

  /// The side as a link, if it is a row and is compared with a link.
  func linking(to other: FilterCompiler.Side) -> FilterCompiler.Side {
    guard let object, case .target(let target) = other.content, other.object == nil,
      case .object = target.kind.element
    else { return self }
    var side = self
    side.content = .target(object.link(comparedWith: target))
    return side
  }
}
