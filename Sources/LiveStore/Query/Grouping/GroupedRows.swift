/// Groups in the order of their result, as rows of the last table of a state.
package struct GroupedRows {
  let state: StoreState
  var window: ResultWindow
}
