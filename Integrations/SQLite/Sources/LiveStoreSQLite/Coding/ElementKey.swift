/// The position of an element in an array, as a step of a coding path.
struct ElementKey: CodingKey {
  let intValue: Int?
  let stringValue: String

  init(_ index: Int) { (intValue, stringValue) = (index, "\(index)") }

  init(intValue: Int) { self.init(intValue) }

  init(stringValue: String) { (intValue, self.stringValue) = (nil, stringValue) }

  /// The key of what `superEncoder()` encodes.
  static let parent = ElementKey(stringValue: "super")
}
