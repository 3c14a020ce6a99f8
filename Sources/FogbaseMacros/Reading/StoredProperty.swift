internal import SwiftSyntax

/// A stored property of a struct: one binding of a variable, with what its declaration says about it.
struct StoredProperty {
    let variable: VariableDeclSyntax
    let binding: PatternBindingSyntax
    /// The type that is written at the binding or, as in `var a, b: Int`, at the next one that has one.
    let type: TypeSyntax?

    var isConstant: Bool { variable.bindingSpecifier.tokenKind == .keyword(.let) }

    /// Whether the property has a value before the initializer's first line.
    var hasInitialValue: Bool {
        if binding.initializer != nil { return true }
        // Only a variable of the short form is nil from the start: `Int?`, not `Optional<Int>`.
        return !isConstant && (type?.is(OptionalTypeSyntax.self) == true || isImplicitlyUnwrapped)
    }

    private var isImplicitlyUnwrapped: Bool { type?.is(ImplicitlyUnwrappedOptionalTypeSyntax.self) == true }

    /// The stored properties that a variable's declaration has, in order.
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

    /// Whether a declaration is of a stored property that a decoder can set.
    static func mayBeField(_ declaration: some DeclSyntaxProtocol) -> Bool {
        guard let variable = declaration.as(VariableDeclSyntax.self) else { return false }
        return all(in: variable).contains { !$0.isConstant || $0.binding.initializer == nil }
    }

    /// Whether a declaration belongs to the type and not to its instances.
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
