/// Whether a type is an enumeration without values in its cases, whose listed cases equal themselves alone.
func hasDistinctCases<Cases: CaseIterable & Hashable>(_: Cases.Type) -> Bool {
  guard MemoryLayout<Cases>.size <= 1 else { return false }
  let cases = Array(Cases.allCases)
  return cases.count <= 64
    && cases.indices.allSatisfy { index in
      cases.indices.allSatisfy { (cases[index] == cases[$0]) == (index == $0) }
    }
}
