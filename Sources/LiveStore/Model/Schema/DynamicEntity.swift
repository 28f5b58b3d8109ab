/// An entity whose properties are known only at run time, such as JSON documents: filters and orders name paths.
///
/// ```swift
/// struct Document: DynamicEntity {
///   let id: JSONValue
///   let body: JSONValue
///   static let schema = Schema<Document>(dynamic: { document, path in document.body[path: path] })
/// }
/// let store = try Store(Document.self)
/// store.snapshot().fetch(Document.where { $0["address", "city"] == "Berlin" })
/// ```
/// Use it only where properties cannot be declared: the compiler does not check paths. An entity with listed
/// properties has no paths, so that a misspelt property does not compile.
public protocol DynamicEntity: Entity, Equatable {}
