/// The stored properties of a type, found without a value of it.
///
/// `Mirror` needs a value, and shows nothing of the values that a nil optional or an empty array could hold.
/// These are the functions of the standard library's runtime that `Mirror` itself is made of, declared as
/// there; they are part of its ABI. For a struct or a tuple they read the type alone; other kinds of types
/// are never passed to them.
enum StoredFields {
  /// The names and types of a struct's or tuple's stored properties; none for other types.
  static func of(_ type: Any.Type) -> [(name: String, type: Any.Type)] {
    // The numbers of the ABI for structs and tuples.
    guard [0x200, 0x301].contains(metadataKind(type)) else { return [] }
    return (0..<fieldCount(type)).map { index in
      var field = Field()
      let fieldType = fieldType(type, index: index, fieldMetadata: &field)
      defer { field.free?(field.name) }
      return (field.name.map { String(cString: $0) } ?? "", fieldType)
    }
  }
}

/// The runtime's description of a stored property: `_FieldReflectionMetadata` of the standard library.
private struct Field {
  var name: UnsafePointer<CChar>?
  var free: (@convention(c) (UnsafePointer<CChar>?) -> Void)?
  var isStrong = false
  var isVar = false
}

@_silgen_name("swift_getMetadataKind")
private func metadataKind(_: Any.Type) -> UInt

@_silgen_name("swift_reflectionMirror_recursiveCount")
private func fieldCount(_: Any.Type) -> Int

@_silgen_name("swift_reflectionMirror_recursiveChildMetadata")
private func fieldType(_: Any.Type, index: Int, fieldMetadata: UnsafeMutablePointer<Field>) -> Any.Type
