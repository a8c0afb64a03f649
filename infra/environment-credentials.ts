// Stands in for the SDK's chain of credential providers in the bundles: Lambda gives a function its credentials in
// the environment, so that the clients of STS, SSO and sign-in that the chain brings would only be loaded. They are
// a third of what a bundle of the bare DynamoDB client weighs.
import { fromEnv } from '@aws-sdk/credential-provider-env';

export const defaultProvider = fromEnv;
