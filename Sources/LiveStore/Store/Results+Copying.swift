// Arrays of the elements of this package's collections.
//
// `Array(results)` asks a collection to copy itself. The standard library's implementation is inlined. In a loop that
// does not use the array afterwards (`_ = Array(results)`, `Array(results).count`), Swift 6.3 compiles it so that the
// array is released before its elements are written, and memory that no longer belongs to the array is overwritten.
// That happens to any collection of generic elements of another module (Documentation/Reliability.md has one of ten
// lines). The collections of this package are copied by code that is not inlined, in which an array owns its elements
// from the first one on.
//
// Collections that the standard library makes of these (`prefix(3)`, `results[1..<5]`, `reversed()`, `lazy`)
// are copied by its own code, which a collection cannot replace.

extension Collection {
  /// The elements, in a growing array.
  @inline(never)
  package func copiedOneByOne() -> ContiguousArray<Element> {
    var array: ContiguousArray<Element> = []
    array.reserveCapacity(count)
    for element in self { array.append(element) }
    return array
  }
}

// Called by `Array.init`.

extension Results {
  /// The objects, copied.
  public func _copyToContiguousArray() -> ContiguousArray<Element> { copiedOneByOne() }
}

extension SectionedResults {
  /// The sections, copied.
  public func _copyToContiguousArray() -> ContiguousArray<ResultSection<Element, Key>> { copiedOneByOne() }
}

extension ResultSection {
  /// The rows, copied.
  public func _copyToContiguousArray() -> ContiguousArray<Element> { copiedOneByOne() }
}

extension RefList {
  /// The references, copied.
  public func _copyToContiguousArray() -> ContiguousArray<Ref<Target>> { copiedOneByOne() }
}

extension RefSet {
  /// The references, copied.
  public func _copyToContiguousArray() -> ContiguousArray<Ref<Target>> { copiedOneByOne() }
}

extension RefMap {
  /// The entries, copied.
  public func _copyToContiguousArray() -> ContiguousArray<Element> { copiedOneByOne() }
}

extension JSONObject {
  /// The members, copied.
  public func _copyToContiguousArray() -> ContiguousArray<Element> { copiedOneByOne() }
}
