import LiveStore
import Observation

extension LiveModel {
  /// Represents a part of the value in key paths: an object's id in results, a property's key path in an object.
  subscript(part part: AnyHashable) -> Bool { true }

  /// Registers a read of a part of the value.
  ///
  /// - Parameter isSame: whether the part is the same in two values; nil if changes name the part. One closure is
  ///   stored for each part, so there must be few of them.
  func access(part: AnyHashable, isSame: ((Value, Value) -> Bool)? = nil) {
    start()
    // Until there is a value, no change names the part.
    if state.value == nil { registrar.access(self, keyPath: \.value) }
    hasPartReaders = true
    if let isSame { partTests[part] = isSame }
    registrar.access(self, keyPath: \.[part: part])
  }

  func changedParts(from old: Value?, to new: Value?, _ change: Change?) -> [AnyHashable] {
    guard hasPartReaders, let old, let new else { return [] }
    let changed = (change as? any PartwiseChange)?.changedParts ?? []
    return changed + partTests.compactMap { $0.value(old, new) ? nil : $0.key }
  }
}
