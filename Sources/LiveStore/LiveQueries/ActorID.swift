/// Names an actor without holding it. Another actor may have the same name once this one is deallocated.
package typealias ActorID = ObjectIdentifier
