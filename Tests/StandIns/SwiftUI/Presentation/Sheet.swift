/// A view that shows another above it.
struct Presenting<Content: View>: Drawn, Left {
    let content: Content
    let role: Plan.Role
    /// The identity of what is shown; nil while nothing is.
    let item: () -> AnyHashable?
    let close: @MainActor () -> Void
    let make: @MainActor () -> any View

    func plan(_ plan: inout Plan, in node: Node) {
        plan.add(content)
        guard let id = item() else { return }
        let close = close
        let isAlert = role == .alert
        plan.add(make(), role, id: id) { surroundings in
            surroundings.isLazy = false
            surroundings.pages = nil
            surroundings.environment.isOnTop = true
            surroundings.environment.dismissAction = DismissAction(action: close)
            surroundings.closesAlert = isAlert ? close : nil
        }
    }

    func leave(_ node: Node) -> Bool {
        guard !node.children(role).isEmpty else { return false }
        close()
        return true
    }
}

extension View {
    /// Stands for `View.sheet(isPresented:onDismiss:content:)`.
    public func sheet<Content: View>(
        isPresented: Binding<Bool>, onDismiss: (() -> Void)? = nil, @ViewBuilder content: @escaping () -> Content
    ) -> some View {
        Presenting(
            content: self, role: .sheet, item: { isPresented.wrappedValue ? true : nil },
            close: { isPresented.wrappedValue = false },
            make: { content().onDisappear(perform: onDismiss) })
    }

    /// Stands for `View.sheet(item:onDismiss:content:)`.
    public func sheet<Item: Identifiable, Content: View>(
        item: Binding<Item?>, onDismiss: (() -> Void)? = nil, @ViewBuilder content: @escaping (Item) -> Content
    ) -> some View {
        Presenting(
            content: self, role: .sheet, item: { item.wrappedValue.map { AnyHashable($0.id) } },
            close: { item.wrappedValue = nil },
            make: { item.wrappedValue.map(content).onDisappear(perform: onDismiss) })
    }
}
