// Arrays of what this package's collections hold.
//
// `Array(results)` asks a collection to copy itself. The library's own way of doing so, once it is inlined where the array
// is not used any more (`_ = Array(results)`, `Array(results).count`), is compiled by Swift 6.3 so that the array is
// released before its elements are written: memory that is no longer the array's is overwritten. The collections of this
// package are copied by code that is not inlined, in which an array owns its elements from the first one on.
//
// What the library makes of them (`prefix(3)`, `results[1..<5]`, `reversed()`, `lazy`) is still copied by its own code:
// there, an array of which nothing is used is released too early, as that of any other collection is.

extension Collection {
  /// The elements, in an array that grows by them.
  @inline(never)
  package func copiedOneByOne() -> ContiguousArray<Element> {
    var array: ContiguousArray<Element> = []
    array.reserveCapacity(count)
    for element in self { array.append(element) }
    return array
  }
}

// What `Array.init` calls.

extension Results {
  /// The objects, copied.
  public func _copyToContiguousArray() -> ContiguousArray<Element> { copiedOneByOne() }
}

extension SectionedResults {
  /// The sections, copied.
  public func _copyToContiguousArray() -> ContiguousArray<ResultSection<Key, Element>> { copiedOneByOne() }
}

extension ResultSection {
  /// The rows, copied.
  public func _copyToContiguousArray() -> ContiguousArray<Element> { copiedOneByOne() }
}

extension LinkedObjects {
  /// The objects, copied.
  public func _copyToContiguousArray() -> ContiguousArray<Target> { copiedOneByOne() }
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
