#if canImport(SwiftUI)
    public import Pigeon
    public import SwiftUI

    extension QueryRenderer where IdleView: View, LoadingView: View, SuccessView: View, FailureView: View {
        /// Renders a state. Each case can have a different view type.
        @MainActor
        @ViewBuilder
        public func view(for state: QueryState<Response>) -> some View {
            switch rendering(for: state) {
            case .idle(let view): view
            case .loading(let view): view
            case .success(let view): view
            case .failure(let view): view
            }
        }
    }
#endif
