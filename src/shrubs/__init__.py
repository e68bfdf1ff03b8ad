"""shrubs"""
