/// Names an actor without holding it. The name may come back when the actor was deallocated.
package typealias ActorID = ObjectIdentifier
