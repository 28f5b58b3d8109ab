/// Names an actor without holding it. The name may come back when the actor is gone.
typealias ActorID = ObjectIdentifier
