// From a row over links to others. Many paths may lead to one row: ten friends in seven steps are ten million
// paths, among ten rows. So the question decides how rows are visited:
//
// - whether some row meets a condition, and the least or greatest value: each row once at each step. The rows
//   behind a row do not depend on the path to it.
// - how many there are, and sums: each row once at each step, with the number of paths that lead to it, which
//   is how often it counts.
// - the list of all values: once for each path. The list is as long.
//
// Either of the first two (Q12) takes time in the links of the rows that are reached at each step, and memory in these rows.

/// Steps along links from a row.
struct LinkWalk: Sendable {
  /// Calls a body with the objects that a link of an object leads to until it returns false.
  ///
  /// The second object is the row that all steps begin at, with its context.
  typealias Step =
    @Sendable (UnsafeRawPointer, UnsafeRawPointer, ReadContext, (UnsafeRawPointer) -> Bool) -> Void
  typealias Body = (UnsafeRawPointer) -> Bool

  private(set) var steps: [Step]
  /// Whether no step reads the row that all steps begin at.
  private var areIndependent = true

  init(_ visit: @escaping @Sendable (UnsafeRawPointer, ReadContext, Body) -> Void) {
    steps = [{ object, _, context, body in visit(object, context, body) }]
  }

  /// These steps, then the steps of another walk from each object that they lead to.
  func then(_ next: LinkWalk) -> LinkWalk {
    var walk = self
    if next.areIndependent {
      walk.steps += next.steps
    } else {
      walk.steps.append { object, _, context, body in next.forEach(object, context, body) }
    }
    return walk
  }

  /// The same steps from a row some levels around.
  func lifted(by levels: Int) -> LinkWalk {
    var walk = self
    walk.areIndependent = false
    for (index, step) in steps.enumerated() {
      walk.steps[index] = { object, _, context, body in
        let (row, context) = context.around(levels)
        step(index == 0 ? row : object, row, context, body)
      }
    }
    return walk
  }

  /// The same steps; the last leads only to objects that meet a condition.
  func filtered(_ condition: ConditionTree) -> LinkWalk {
    var walk = self
    let last = steps[steps.count - 1]
    let test = ObjectTest(condition)
    if condition.readsOuter { walk.areIndependent = false }
    walk.steps[steps.count - 1] = { object, row, context, body in
      let inner = test.context(of: row, context)
      last(object, row, context) { test.holds($0, inner) ? body($0) : true }
    }
    return walk
  }
}

extension LinkWalk {
  /// Calls a body with the objects at the end of each path, until it returns false.
  func forEach(_ row: UnsafeRawPointer, _ context: ReadContext, _ body: Body) {
    if steps.count == 1 {
      guard let run = context.run else { return steps[0](row, row, context, body) }
      return steps[0](row, row, context) { run.visit() && body($0) }
    }
    var visited: [VisitedObjects] = []
    _ = walk(0, row, row, context, context.run, &visited, body)
  }

  /// Calls a body with each object at the end of some path once, in the order of the first of its paths, until it
  /// returns false.
  ///
  /// Where there is only one step, it may be called more than once with an object that a list holds more than once.
  func forEachOnce(_ row: UnsafeRawPointer, _ context: ReadContext, _ body: Body) {
    if steps.count == 1 { return forEach(row, context, body) }
    var visited = steps.map { _ in VisitedObjects() }
    _ = walk(0, row, row, context, context.run, &visited, body)
  }

  /// - Parameter visited: the objects that were visited at each step, which are not visited again; empty to visit them
  ///   once for each path.
  /// - Returns: whether to go on.
  private func walk(
    _ depth: Int, _ object: UnsafeRawPointer, _ row: UnsafeRawPointer, _ context: ReadContext,
    _ run: FilterRun?, _ visited: inout [VisitedObjects], _ body: Body
  ) -> Bool {
    var isGoingOn = true
    steps[depth](object, row, context) { next in
      guard run?.visit() ?? true else {
        isGoingOn = false
        return false
      }
      if !visited.isEmpty, !visited[depth].insert(next) { return true }
      isGoingOn =
        depth + 1 == steps.count
        ? body(next) : walk(depth + 1, next, row, context, run, &visited, body)
      return isGoingOn
    }
    return isGoingOn
  }

  /// Calls a body with each object at the end of some path, and how many paths lead to it.
  ///
  /// Where there is only one step, the paths to an object that a list holds more than once may be counted one by one.
  func forEachCounted(
    _ row: UnsafeRawPointer, _ context: ReadContext, _ body: (UnsafeRawPointer, _ paths: Int) -> Void
  ) {
    if steps.count == 1 {
      return forEach(row, context) { object in
        body(object, 1)
        return true
      }
    }
    let run = context.run
    var reached = CountedObjects()
    reached.add(row, 1)
    for step in steps {
      var next = CountedObjects()
      for (object, paths) in zip(reached.objects, reached.paths) {
        step(object, row, context) { target in
          next.add(target, paths)
          return run?.visit() ?? true
        }
      }
      reached = next
      if run?.isStopped == true { return }
    }
    for (object, paths) in zip(reached.objects, reached.paths) { body(object, paths) }
  }
}

/// Objects that were visited. A few are compared one by one.
private struct VisitedObjects {
  private static let few = 8

  private var first: [UnsafeRawPointer] = []
  private var rest: Set<UnsafeRawPointer> = []

  /// Whether the object was not visited before.
  mutating func insert(_ object: UnsafeRawPointer) -> Bool {
    if first.contains(object) { return false }
    if first.count < Self.few {
      first.append(object)
      return true
    }
    return rest.insert(object).inserted
  }
}

/// Objects in the order in which they were reached first, each with the number of paths that lead to it.
private struct CountedObjects {
  private(set) var objects: [UnsafeRawPointer] = []
  private(set) var paths: [Int] = []
  private var places: [UnsafeRawPointer: Int] = [:]

  mutating func add(_ object: UnsafeRawPointer, _ paths: Int) {
    if let place = places[object] {
      let (sum, isOver) = self.paths[place].addingReportingOverflow(paths)
      self.paths[place] = isOver ? .max : sum
    } else {
      places[object] = objects.count
      objects.append(object)
      self.paths.append(paths)
    }
  }
}

/// The test of a condition for objects that links lead to. Where the condition follows links itself, the answer for an
/// object is remembered in the ``FilterRun``, since many paths, and many rows, lead to it.
struct ObjectTest: Sendable {
  private let condition: ConditionTree
  private let readsOuter: Bool
  /// The number under which answers are remembered; nil if they are not.
  private let number: UInt64?

  init(_ condition: ConditionTree) {
    self.condition = condition
    readsOuter = condition.readsOuter
    number = condition.readsManyLinked && !readsOuter ? FilterRun.makeCondition() : nil
  }

  /// Whether answers are remembered.
  var remembers: Bool { number != nil }

  /// The context in which objects around a row are tested (B2).
  func context(of row: UnsafeRawPointer, _ context: ReadContext) -> ReadContext {
    readsOuter ? context.inside(row) : context
  }

  func holds(_ object: UnsafeRawPointer, _ context: ReadContext) -> Bool {
    guard let number, let run = context.run else { return condition.matches(object, context) }
    return run.answer(number, object, context) { condition.matches(object, context) }
  }
}
