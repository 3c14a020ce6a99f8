package import RecordModel

/// Binding and running in one expression:
///
/// ```swift
/// try connection.prepare("DELETE FROM role_member WHERE role = ?1 AND account = ?2").with(role, account).run()
/// ```
///
/// `with` has overloads instead of a parameter pack. So the compiler specializes each overload for the types of a call,
/// and a call costs no more than calls of `bind`. The most frequent statements bind and run in two lines instead,
/// because Swift retains a result that is used.
extension Statement {
    /// Binds values to the parameters from number `first` on.
    @inline(__always) @discardableResult
    package func with<A: Bindable>(
        from first: Int32 = 1, _ a: A
    ) -> Statement {
        a.bind(to: self, first)
        return self
    }

    /// Binds values to the parameters from number `first` on.
    @inline(__always) @discardableResult
    package func with<A: Bindable, B: Bindable>(
        from first: Int32 = 1, _ a: A, _ b: B
    ) -> Statement {
        with(from: first, a).with(from: first &+ 1, b)
    }

    /// Binds values to the parameters from number `first` on.
    @inline(__always) @discardableResult
    package func with<A: Bindable, B: Bindable, C: Bindable>(
        from first: Int32 = 1, _ a: A, _ b: B, _ c: C
    ) -> Statement {
        with(from: first, a, b).with(from: first &+ 2, c)
    }

    /// Binds values to the parameters from number `first` on.
    @inline(__always) @discardableResult
    package func with<A: Bindable, B: Bindable, C: Bindable, D: Bindable>(
        from first: Int32 = 1, _ a: A, _ b: B, _ c: C, _ d: D
    ) -> Statement {
        with(from: first, a, b, c).with(from: first &+ 3, d)
    }

    /// Binds values to the parameters from number `first` on.
    @inline(__always) @discardableResult
    package func with<A: Bindable, B: Bindable, C: Bindable, D: Bindable, E: Bindable>(
        from first: Int32 = 1, _ a: A, _ b: B, _ c: C, _ d: D, _ e: E
    ) -> Statement {
        with(from: first, a, b, c, d).with(from: first &+ 4, e)
    }

    /// Binds values to the parameters from number `first` on.
    @inline(__always) @discardableResult
    package func with<A: Bindable, B: Bindable, C: Bindable, D: Bindable, E: Bindable, F: Bindable>(
        from first: Int32 = 1, _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F
    ) -> Statement {
        with(from: first, a, b, c, d, e).with(from: first &+ 5, f)
    }

    /// Binds values to the parameters from number `first` on.
    @inline(__always) @discardableResult
    package func with<A: Bindable, B: Bindable, C: Bindable, D: Bindable, E: Bindable, F: Bindable, G: Bindable>(
        from first: Int32 = 1, _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G
    ) -> Statement {
        with(from: first, a, b, c, d, e, f).with(from: first &+ 6, g)
    }

    // MARK: Running

    /// Reads all remaining rows with `read` and resets the statement.
    package func rows<Row>(_ read: (inout Columns) -> Row) throws(RecordError) -> [Row] {
        defer { reset() }
        var rows: [Row] = []
        while try step() {
            var columns = Columns(self)
            rows.append(read(&columns))
        }
        return rows
    }

    /// Reads the next row, if there is one, and resets the statement.
    @inline(__always)
    package func row<Row>(_ read: (inout Columns) -> Row) throws(RecordError) -> Row? {
        defer { reset() }
        guard try step() else { return nil }
        var columns = Columns(self)
        return read(&columns)
    }

    /// Returns the first column of the first row; `nil` without a row or for NULL.
    package func number() throws(RecordError) -> Int64? {
        try row { $0.next(Int64?.self) } ?? nil
    }

    /// Returns whether there is a row.
    package func exists() throws(RecordError) -> Bool {
        defer { reset() }
        return try step()
    }

    /// Runs a statement without rows and counts the changed rows. Use `run` if the count is not needed: on a database
    /// server, `run` need not wait for the response.
    ///
    /// - Returns: The number of inserted, updated or deleted rows.
    package func changedRows() throws(RecordError) -> Int {
        try run()
        return connection.changes
    }

    /// Moves to the first row and returns the statement; `nil` if there is no row. The caller must reset a returned
    /// statement.
    @inline(__always)
    func firstRow() throws(RecordError) -> Statement? {
        if try step() { return self }
        reset()
        return nil
    }
}
