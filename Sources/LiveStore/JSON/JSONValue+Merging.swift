extension JSONValue {
  /// The value with a patch applied to it, as RFC 7396 defines it: an object's members replace those of the
  /// same key, at any depth, and a null removes one; everything else is replaced as a whole.
  ///
  /// A null over a member that is null leaves it, so that it is no change.
  /// - Complexity: O(length of both), with O(log keys) for a member of a large object. As deep as the patch.
  package func merging(_ patch: JSONValue) -> JSONValue {
    guard case .object(let changes) = patch else { return patch }
    var members: [(key: String, value: JSONValue)] = []
    if case .object(let object) = self {
      for (key, value) in object {
        guard let change = changes[key] else {
          members.append((key, value))
          continue
        }
        if !change.isNull || value.isNull { members.append((key, value.merging(change))) }
      }
    }
    for (key, change) in changes where !change.isNull {
      if case .object(let object) = self, object[key] != nil { continue }
      members.append((key, JSONValue.null.merging(change)))
    }
    return .object(JSONObject(members))
  }
}
