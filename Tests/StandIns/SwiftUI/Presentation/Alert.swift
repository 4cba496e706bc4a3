extension View {
    private func alert(
        title: Text, isPresented: Binding<Bool>, message: @escaping @MainActor () -> any View,
        actions: @escaping @MainActor () -> any View
    ) -> some View {
        Presenting(
            content: self, role: .alert, item: { isPresented.wrappedValue ? true : nil },
            close: { isPresented.wrappedValue = false },
            make: {
                VStack {
                    title
                    AnyView(message())
                    AnyView(actions())
                }
            })
    }

    /// Stands for `View.alert(_:isPresented:actions:)` with a localized title.
    public func alert<A: View>(
        _ titleKey: LocalizedStringKey, isPresented: Binding<Bool>, @ViewBuilder actions: @escaping () -> A
    ) -> some View {
        alert(title: Text(titleKey), isPresented: isPresented, message: { EmptyView() }, actions: { actions() })
    }

    /// Stands for `View.alert(_:isPresented:actions:)`.
    @_disfavoredOverload
    public func alert<S: StringProtocol, A: View>(
        _ title: S, isPresented: Binding<Bool>, @ViewBuilder actions: @escaping () -> A
    ) -> some View {
        alert(title: Text(title), isPresented: isPresented, message: { EmptyView() }, actions: { actions() })
    }

    /// Stands for `View.alert(_:isPresented:actions:message:)` with a localized title.
    public func alert<A: View, M: View>(
        _ titleKey: LocalizedStringKey, isPresented: Binding<Bool>, @ViewBuilder actions: @escaping () -> A,
        @ViewBuilder message: @escaping () -> M
    ) -> some View {
        alert(title: Text(titleKey), isPresented: isPresented, message: { message() }, actions: { actions() })
    }

    /// Stands for `View.alert(_:isPresented:actions:message:)`.
    @_disfavoredOverload
    public func alert<S: StringProtocol, A: View, M: View>(
        _ title: S, isPresented: Binding<Bool>, @ViewBuilder actions: @escaping () -> A,
        @ViewBuilder message: @escaping () -> M
    ) -> some View {
        alert(title: Text(title), isPresented: isPresented, message: { message() }, actions: { actions() })
    }
}
