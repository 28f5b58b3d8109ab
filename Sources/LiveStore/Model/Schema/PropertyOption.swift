/// The uses of a property beyond being stored.
public struct PropertyOption: Sendable, Hashable, CustomStringConvertible {
  /// The option in Swift syntax.
  public let description: String

  /// An index on the property serves equality, `in`, and for `Comparable` values ranges, prefixes and order.
  public static let indexed = PropertyOption(description: ".indexed")
  /// No two objects may have the same value, checked at commit; nil is not compared. Includes an index.
  public static let unique = PropertyOption(description: ".unique")
  /// An index on the elements of an array or a set serves `contains`, where the elements are `Hashable`.
  ///
  /// ```swift
  /// Property(\.tags, .indexedElements)
  /// Post.where { $0.tags.contains("swift") }      // looks at the posts that have the tag, and at no other
  /// ```
  /// Use it where most elements are in few of the objects: an object takes one entry for each of its different
  /// elements, and a write of the property compares them with the previous ones. The collection may be optional. On
  /// any other type it is `invalidSchema`. ``indexed`` serves the collection as a whole, as in `$0.tags == []`.
  public static let indexedElements = PropertyOption(description: ".indexedElements")
  /// An index on the words of text serves `search`: on `String`, and on optionals, arrays and sets of it.
  ///
  /// ```swift
  /// Property(\.body, .searchable)
  /// Post.where { $0.body.search("swift conc*") }  // looks at the posts that have the rarer of the two
  /// Post.where { $0.search("swift") }             // in any of the searchable properties
  /// ```
  /// Without it `search` gives the same objects, and reads every text. An object takes one entry for each of its
  /// different words, and a write of the property compares them with the previous ones. On any other type it is
  /// `invalidSchema`. <doc:Search> says what words are.
  public static let searchable = PropertyOption(description: ".searchable")
}
