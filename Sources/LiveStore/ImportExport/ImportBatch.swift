/// The edits of one transaction of an import, all or none of which are written (J3).
struct ImportBatch<Element: Entity> {
  let edits: ArraySlice<ImportEdit<Element>>

  /// Writes the edits.
  ///
  /// - Returns: how many objects were added, changed or left as they were.
  func write(in tx: inout WriteTransaction) throws -> ImportReport {
    var report = ImportReport()
    for edit in edits {
      let old = tx.state.object(Element.self, edit.id)
      do {
        try edit.write(&tx)
      } catch {
        throw StoreError.importError(error, at: edit.place, entity: "\(Element.self)")
      }
      report.objects += 1
      guard let old, let new = tx.state.object(Element.self, edit.id) else {
        report.inserted += 1
        continue
      }
      if tx.state.catalog.isSame(old, new) { report.unchanged += 1 } else { report.changed += 1 }
    }
    return report
  }

  /// An error of the commit, with the place of the object that it names.
  func located(_ error: any Error) -> any Error {
    guard let error = error as? StoreError, error.entity == "\(Element.self)", let id = error.id,
      let edit = edits.last(where: { shown($0.id) == id })
    else { return error }
    return error.located(at: edit.place)
  }
}
