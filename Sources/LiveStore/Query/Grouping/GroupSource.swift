/// Where the grouped rows can be read.
package struct GroupSource {
  /// The current trees of all stages.
  let trees: [Tree]
  let table: Int
  let old: ReadContext
  let new: ReadContext
}
