/// A value that is made at its first use, once. Its maker runs under a lock: other threads wait for it.
///
/// For what most runs of a program never ask for.
package final class Once<Value: Sendable>: Sendable {
    private enum State {
        case unmade(@Sendable () -> Value)
        case made(Value)
    }

    private let state: Locked<State>

    /// Creates the value's place.
    package init(_ make: @escaping @Sendable () -> Value) {
        state = Locked(.unmade(make))
    }

    /// The value.
    package var value: Value {
        state.withLock { state in
            switch state {
            case .made(let value):
                return value
            case .unmade(let make):
                let value = make()
                state = .made(value)
                return value
            }
        }
    }
}
