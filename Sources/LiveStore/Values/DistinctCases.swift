/// Whether a type is an enumeration without associated values, each of whose listed cases equals only itself.
func hasDistinctCases<Cases: CaseIterable & Hashable>(_: Cases.Type) -> Bool {
  guard MemoryLayout<Cases>.size <= 1 else { return false }
  let cases = Array(Cases.allCases)
  return cases.count <= 64
    && cases.indices.allSatisfy { index in
      cases.indices.allSatisfy { (cases[index] == cases[$0]) == (index == $0) }
    }
}
