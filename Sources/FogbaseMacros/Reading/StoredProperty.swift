internal import SwiftSyntax

/// A stored property of a struct: one binding of a variable declaration.
struct StoredProperty {
    let variable: VariableDeclSyntax
    let binding: PatternBindingSyntax
    /// The type annotation of the binding. A binding without an annotation, such as `a` in `var a, b: Int`, has the
    /// annotation of the next binding with one.
    let type: TypeSyntax?

    var isConstant: Bool { variable.bindingSpecifier.tokenKind == .keyword(.let) }

    /// Whether the property has a value before the body of an initializer runs.
    var hasInitialValue: Bool {
        if binding.initializer != nil { return true }
        // A variable of type `Int?` is initialized to `nil`. A variable of type `Optional<Int>` is not.
        return !isConstant && (type?.is(OptionalTypeSyntax.self) == true || isImplicitlyUnwrapped)
    }

    /// Whether a decoder can set the property. A constant with an initial value is not a field of the record.
    var mayBeField: Bool { !isConstant || binding.initializer == nil }

    private var isImplicitlyUnwrapped: Bool { type?.is(ImplicitlyUnwrappedOptionalTypeSyntax.self) == true }

    /// Returns the stored properties of a variable declaration, in order.
    static func all(in variable: VariableDeclSyntax) -> [StoredProperty] {
        guard !isShared(variable), !isLazy(variable) else { return [] }
        var properties: [StoredProperty] = []
        var type: TypeSyntax?
        for binding in variable.bindings.reversed() {
            type = binding.typeAnnotation?.type ?? (binding.initializer == nil ? type : nil)
            if isStored(binding) {
                properties.append(StoredProperty(variable: variable, binding: binding, type: type))
            }
        }
        return properties.reversed()
    }

    /// Whether a declaration has a stored property that a decoder can set.
    static func mayBeField(_ declaration: some DeclSyntaxProtocol) -> Bool {
        guard let variable = declaration.as(VariableDeclSyntax.self) else { return false }
        return all(in: variable).contains(where: \.mayBeField)
    }

    /// Whether a declaration belongs to the type instead of an instance.
    static func isShared(_ declaration: some WithModifiersSyntax) -> Bool {
        declaration.modifiers.contains { [.keyword(.static), .keyword(.class)].contains($0.name.tokenKind) }
    }

    private static func isLazy(_ variable: VariableDeclSyntax) -> Bool {
        variable.modifiers.contains { $0.name.tokenKind == .keyword(.lazy) }
    }

    private static func isStored(_ binding: PatternBindingSyntax) -> Bool {
        guard let block = binding.accessorBlock else { return true }
        guard case .accessors(let accessors) = block.accessors else { return false }
        return accessors.allSatisfy {
            [.keyword(.willSet), .keyword(.didSet)].contains($0.accessorSpecifier.tokenKind)
        }
    }
}
