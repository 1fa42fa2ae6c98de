export const Heat = () => null;
